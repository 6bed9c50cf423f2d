import Foundation
import Glibc
import LocalAPI
import Quantities
import Records
import Testing
import TextSnapshots

@testable import outrider

/// The rows of the status on fix, satellites, motion, trip and delivery.
@Suite struct StatusReceptionTests {
  static let texts = TextSnapshot("status")

  private static func report(_ change: (inout StatusReport) -> Void) -> StatusReport {
    var report = StatusReport(
      version: "1", deviceID: "van", running: true,
      log: .init(directory: "log", lastID: 1, waiting: 0, trouble: nil), destinations: [])
    report.reception = StatusReport.Reception()
    change(&report)
    return report
  }

  private static func row(
    _ name: String, _ units: UnitSystem = .metric, _ change: (inout StatusReport) -> Void
  )
    -> String?
  {
    let lines = StatusText.lines(
      logger: "", running: report(change), log: nil, directory: "log", units: units)
    return lines.first { $0.prefix { $0 != " " } == name }.map {
      String($0.dropFirst(name.count).drop { $0 == " " })
    }
  }

  static let fixes:
    [(name: String, fix: String?, lost: Double?, used: Int?, received: Int?, strongest: Double?, age: Double)] =
      [
        ("no fix, with reception", "none", 45, nil, 11, 38, 1),
        ("no fix, with earlier reception", "none", 45, nil, 11, 38, 130),
        ("no fix, no reception", "none", 600, nil, 0, nil, 1),
        ("no fix, reception unknown", "none", 45, nil, nil, nil, 0),
        ("fix", "3D", nil, 12, nil, nil, 0),
        ("fix, with earlier reception", "3D", nil, 12, 17, 44, 300),
        ("no data", nil, nil, nil, nil, nil, 0),
      ]

  @Test(arguments: fixes)
  func theRowFixShowsFixAndSatellites(
    name: String, fix: String?, lost: Double?, used: Int?, received: Int?, strongest: Double?, age: Double
  ) throws {
    let shown = Self.row("fix") {
      $0.reception?.fix = fix
      $0.reception?.no_fix_s = lost
      $0.reception?.epoch_age_s = 1
      $0.reception?.satellites_used = used
      $0.reception?.satellites_received = received
      $0.reception?.strongest_dBHz = strongest
      $0.reception?.satellites_age_s = received == nil ? nil : age
    }
    let row = try #require(shown)
    #expect(row == Self.texts.expected("row fix: \(name)", row))
  }

  @Test func anOldPositionDoesNotShowItsFixAsPresent() {
    let row = Self.row("position") {
      $0.reception?.fix = "none"
      $0.reception?.no_fix_s = 45
      var position = StatusReport.Position(time: nil, latitude: 52.5, longitude: 13.4, fix: "3D")
      (position.age_s, position.horizontal_accuracy_m, position.speed_mps, position.altitude_m) = (
        45, 3, 10, 34
      )
      $0.position = position
    }
    #expect(row == "52.5, 13.4 ±3 m, altitude 34 m, 36.0 km/h, 45 s ago")
  }

  static let units: [(UnitSystem, String)] = [
    (.metric, "±3 m, altitude 100 m, 36.0 km/h"), (.imperial, "±10 ft, altitude 328 ft, 22.4 mph"),
    (.nautical, "±3 m, altitude 100 m, 19.4 kn"),
  ]

  @Test(arguments: units) func theUnitsAreThoseOfTheOption(units: UnitSystem, expectedText: String) {
    let row = Self.row("position", units) {
      var position = StatusReport.Position(time: nil, latitude: 52.5, longitude: 13.4, fix: "3D")
      (position.horizontal_accuracy_m, position.speed_mps, position.altitude_m) = (3, 10, 100)
      $0.position = position
    }
    #expect(row == "52.5, 13.4 \(expectedText)")
  }

  @Test func distancesHaveAUnitOfTheirMagnitude() {
    #expect([999, 1500].map(UnitSystem.metric.distance) == ["999 m", "1.5 km"])
    #expect([100, 1609.344].map(UnitSystem.imperial.distance) == ["328 ft", "1.0 mi"])
    #expect([100, 3704].map(UnitSystem.nautical.distance) == ["100 m", "2.0 NM"])
    #expect(throws: Arguments.Misuse.self) { try UnitSystem(word: "parsec") }
  }

  @Test func theRowMotionShowsTheConfidenceAndUnknownStates() throws {
    func motion(
      _ moving: Bool, _ states: [String]?, _ confidence: String?, _ source: String? = nil
    ) -> String? {
      Self.row("motion") {
        $0.motion = StatusReport.Motion(moving: moving)
        $0.motion?.states = states
        $0.motion?.confidence = confidence
        $0.motion?.source = source
      }
    }
    let rows = [
      ("walking", motion(true, ["walking"], "high")), ("unknown", motion(false, [], "low")),
      ("moving, unknown", motion(true, [], "low")),
      ("driving by speed", motion(true, ["driving"], "low", "speed")),
      ("moving by position", motion(true, nil, nil)), ("stationary by position", motion(false, nil, nil)),
    ]
    for (name, row) in rows {
      let row = try #require(row)
      #expect(row == Self.texts.expected("row motion: \(name)", row))
    }
  }

  @Test func aReceiverThatDoesNotIdentifyItselfIsNotCalledUnknown() throws {
    let shown = Self.row("receiver") {
      $0.receiver = .init(port: "/dev/ttyS0", isOpen: true, speed: 9600, validFrames: 5, checksumErrors: 0)
      $0.receiver?.state = "running"
      $0.receiver?.family = "unknown"
    }
    let receiver = try #require(shown)
    #expect(!receiver.contains("unknown"))
    #expect(receiver == Self.texts.expected("row receiver: unidentified", receiver))
  }

  @Test func theRowTripShowsModeDurationAndDistance() throws {
    let shown = Self.row("trip") {
      $0.trip = StatusReport.Trip(mode: "car", manual: true, distance_m: 3456)
      $0.trip?.duration_s = 720
    }
    let row = try #require(shown)
    #expect(row == Self.texts.expected("row trip", row))
  }

  @Test func recordsOfTheRunAreCountedByKind() throws {
    let shown = Self.row("records") { $0.records = ["location": 30, "event": 1] }
    let row = try #require(shown)
    #expect(row == Self.texts.expected("row records", row))
  }

  @Test func theRowOfADestinationShowsLastSuccessLastResponseAndNextAttempt() {
    var destination = StatusReport.Destination(name: "home", delivered: 5, acknowledgedID: 5, trouble: nil)
    (destination.last_success_age_s, destination.last_answer) = (130, "accepted")
    destination.next_send_in_s = 45
    let waiting = StatusText.sending(destination)
    #expect(waiting == Self.texts.expected("delivery: next attempt", waiting))
    (destination.last_answer, destination.last_answer_age_s) = ("status 503", 10)
    destination.next_send_in_s = 0
    let sending = StatusText.sending(destination)
    #expect(sending == Self.texts.expected("delivery: failed before, sending now", sending))
  }

  // MARK: A running logger

  /// An epoch of a receiver with reception and without a fix.
  private static func epochWithoutFix(_ second: Int) -> [UInt8] {
    let time = "1000\(second < 10 ? "0" : "")\(second).00"
    return [
      "GNRMC,\(time),V,,,,,,,010326,,,N", "GNGGA,\(time),,,,,0,00,99.99,,,,,,",
      "GPGSV,1,1,03,05,40,083,38,07,17,308,21,13,07,344,", "GLGSV,1,1,01,70,11,308,30",
    ].flatMap { body -> [UInt8] in
      let sum = body.utf8.reduce(UInt8(0)) { $0 ^ $1 }
      let digits = String(sum, radix: 16, uppercase: true)
      return Array("$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n".utf8)
    }
  }

  @Test func aLostFixIsReportedWithTheSatellitesOfTheReceiver() throws {
    let bench = try LoggerBench(url: nil)
    try bench.start()
    #expect(bench.hasEvent("started"))
    let drive = Recording.simulated(epochs: 5).pieces
    let dark = (10...30).map { Feeder.Piece(bytes: Self.epochWithoutFix($0)) }
    bench.feeder.play(drive + dark, every: .milliseconds(200))
    func reception() throws -> [String: Any] {
      try FaultTests.status(of: bench)["reception"] as? [String: Any] ?? [:]
    }
    #expect(
      try eventually(within: .seconds(20)) {
        try reception()["satellites_received"] as? Int == 3
      }, "\((try? reception()) ?? [:])")
    let lost = try reception()
    #expect(lost["strongest_dBHz"] as? Double == 38 && lost["no_fix_s"] as? Double ?? 0 > 0)
    let text = try FaultTests.run(
      ["status", "--config", bench.scratch.path("config.json5")], in: bench.scratch)
    let row = text.output.split(separator: "\n").first { $0.hasPrefix("fix ") } ?? ""
    #expect(!row.contains("3D") && row.contains(", 3 ") && row.contains(" 38 dBHz"), "\(row)")
    #expect(!text.output.contains("(3D)"), "\(text.output)")
    #expect(text.output.contains(" locations, "), "\(text.output)")
    #expect(bench.stopsInGoodOrder())
  }

  @Test func theStatusComesFromTheLoggerWhateverTheOptions() throws {
    let bench = try LoggerBench(url: "http://127.0.0.1:9/")
    try bench.start()
    #expect(bench.hasEvent("started"))
    bench.feeder.play(Recording.simulated(epochs: 5).pieces, every: .milliseconds(50))
    #expect(bench.hasStored(5))
    #expect(
      try eventually(within: .seconds(20)) {
        let destinations = try FaultTests.status(of: bench)["destinations"] as? [[String: Any]]
        return destinations?.first?["last_answer"] != nil
      })
    let other = try bench.scratch.write(
      "other.json5", "{ storage: { directory: '/nowhere', allow_volatile: true } }")
    let words = ["status", "--config", other, "--set", "api.socket=\(bench.scratch.path("api.sock"))"]
    let outcome = try FaultTests.run(words, in: bench.scratch)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let row = outcome.output.split(separator: "\n").first { $0.hasPrefix("destination home ") } ?? ""
    #expect(
      row.dropFirst("destination home".count).drop { $0 == " " }.hasPrefix("5 queued, "), "\(outcome.output)")
    #expect(outcome.output.contains("in \(bench.log)"), "\(outcome.output)")
    #expect(row.contains("last response"), "nobody listens there: \(row)")
    #expect(bench.stopsInGoodOrder())
  }

  @Test func destinationsAreReportedWhileTrackingIsOff() throws {
    let bench = try LoggerBench(url: "http://127.0.0.1:9/", extra: "tracking: false,")
    try bench.start()
    #expect(bench.hasEvent("started"))
    #expect(try (FaultTests.status(of: bench)["destinations"] as? [[String: Any]])?.count == 1)
    #expect(bench.stopsInGoodOrder())
  }
}
