import Quantities
import Records
import Testing
import GNSSProtocol
import Tracking

/// The log's reports of fixes that recording rules reject.
@Suite struct LeftOutTests {
  private static func fixes(_ seconds: Range<Int>, every step: Int = 1) -> [Fix] {
    stride(from: seconds.lowerBound, to: seconds.upperBound, by: step).map {
      Fix(Fix.start + .seconds($0), north: Double($0 % 3))
    }
  }

  private static func reports(_ drill: Drill) -> [EventFields] {
    drill.events.filter { $0.kind == .fixesLeftOut }.map(\.fields)
  }

  @Test func aGapCausedByARuleIsExplainedInTheLog() {
    let drill = Drill(minDistance: 50)
    drill.handle(Self.fixes(0..<3))
    #expect(drill.locations.count == 1)
    drill.handle(Self.fixes(3..<121))
    #expect(Self.reports(drill).isEmpty, "two minutes are not a long gap")
    drill.handle(Self.fixes(121..<3700))
    #expect(
      Self.reports(drill) == [
        [
          .count: 121, .rejections: .counts(["min_distance": 121]),
          .lastValues: .texts(["min_distance": "1.0 m"]),
        ]
      ])
    drill.handle(Self.fixes(3700..<7400))
    #expect(Self.reports(drill).count == 3, "once an hour")
    #expect(drill.rejections.isEmpty, "no filter rejected a fix")
    #expect(drill.locations.count == 1)
  }

  @Test func aFixEveryFiveMinutesIsNotReportedEachTime() {
    let drill = Drill(minTime: .seconds(300))
    drill.handle(Self.fixes(0..<7100))
    #expect((23...24).contains(drill.locations.count))
    #expect(Self.reports(drill).count == 2)
    let quick = Drill(minTime: .seconds(60))
    quick.handle(Self.fixes(0..<7100))
    #expect(quick.locations.count > 100 && Self.reports(quick).isEmpty)
  }

  @Test func otherRulesAreReportedAgain() {
    let drill = Drill(minDistance: 50)
    drill.handle(Self.fixes(0..<600))
    var settings = TrackerSettings(deviceID: "van")
    settings.decimation = Decimation(minTime: .seconds(1), minDistance: 100)
    drill.handle(.settings(settings, changed: ["main.min_distance"]))
    drill.handle(Self.fixes(600..<720))
    #expect(Self.reports(drill).count == 1)
    drill.handle(Self.fixes(720..<900))
    #expect(Self.reports(drill).count == 2)
  }

  @Test func nothingIsReportedAboutAPrivacyZone() throws {
    var settings = TrackerSettings(deviceID: "van")
    settings.decimation = Decimation(minTime: .seconds(1), minDistance: 50)
    settings.zones = [try PrivacyTests.home()]
    let drill = Drill(settings)
    drill.handle(Self.fixes(0..<4000))
    #expect(drill.locations.isEmpty && Self.reports(drill).isEmpty)
  }

  @Test func aPrivacyZonesRejectionIsNotAttributedToARule() throws {
    var settings = TrackerSettings(deviceID: "van")
    settings.decimation = Decimation(minTime: .seconds(10), minDistance: nil)
    settings.zones = [try PrivacyTests.home()]
    let drill = Drill(settings)
    let away = (0..<4).map { Fix(Fix.start + .seconds($0), north: 400) }
    let inside = (0..<1800).map { Fix(Fix.start + .seconds(60 + $0)) }
    let back = (0..<30).map { Fix(Fix.start + .seconds(1900 + $0), north: 400) }
    drill.handle(away)
    drill.now = drill.now + .seconds(56)
    drill.handle(inside)
    drill.now = drill.now + .seconds(40)
    drill.handle(back)
    #expect(drill.locations.count > 2 && Self.reports(drill).isEmpty)
  }
}
