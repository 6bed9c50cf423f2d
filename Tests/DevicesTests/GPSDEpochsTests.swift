import GNSSProtocol
import Quantities
import Testing
@testable import Devices

@Suite struct GPSDEpochsTests {
  /// Reports of gpsd in short form.
  enum Line: Sendable {
    /// A three-dimensional position; the longitude identifies the report within its time.
    case position(Int64, longitude: Double = 13)
    case noFix(Int64)
    case ellipse(Int64)
    case timeless
    case modeZero
    case satellites
    /// A pause in milliseconds.
    case pause(Int64)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var promise: String
    var lines: [Line]
    /// Seconds and longitude of each fix; nil for an epoch without a position.
    var fixes: [(second: Int64?, longitude: Double?)]
    var testDescription: String { promise }
  }

  /// Two epochs with a single position each, from which the number of reports is learned.
  private static let single: [Line] = [.position(1), .pause(1000), .position(2), .pause(1000)]
  private static let singleFixes: [(second: Int64?, longitude: Double?)] = [(1, 13), (2, 13)]
  private static let manifold: [Line] = [1, 2].flatMap { second in
    [
      .position(second, longitude: 1), .satellites, .position(second, longitude: 2), .ellipse(second),
      .pause(1000),
    ]
  }
  private static let manifoldFixes: [(second: Int64?, longitude: Double?)] = [(1, 2), (2, 2)]

  static let cases = [
    Case(promise: "an open epoch waits for further reports", lines: [.position(1), .pause(399)], fixes: []),
    Case(promise: "silence closes an epoch", lines: [.position(1), .pause(400)], fixes: [(1, 13)]),
    Case(promise: "another time closes an epoch", lines: [.position(1), .position(2)], fixes: [(1, 13)]),
    Case(
      promise: "the last position of a time counts",
      lines: [
        .position(1, longitude: 1), .position(1, longitude: 2), .position(1, longitude: 3), .pause(400),
      ],
      fixes: [(1, 3)]),
    Case(
      promise: "an error ellipse alone is not a fix", lines: [.position(1), .ellipse(2), .position(3)],
      fixes: [(1, 13)]),
    Case(
      promise: "late reports are dropped", lines: [.position(1), .pause(400), .noFix(1), .pause(400)],
      fixes: [(1, 13)]),
    Case(
      promise: "after two single reports an epoch is closed immediately", lines: single + [.position(3)],
      fixes: singleFixes + [(3, 13)]),
    Case(
      promise: "several reports are learned too",
      lines: manifold + [.position(3, longitude: 1), .position(3, longitude: 2), .ellipse(3)],
      fixes: manifoldFixes + [(3, 2)]),
    Case(
      promise: "fewer reports than learned wait for silence", lines: manifold + [.position(3), .pause(399)],
      fixes: manifoldFixes),
    Case(
      promise: "a further report after the learned number restarts learning",
      lines: single + [.position(3), .position(3, longitude: 2), .pause(1000), .position(4), .pause(399)],
      fixes: singleFixes + [(3, 13)]),
    Case(promise: "an epoch without a position counts", lines: [.noFix(1), .pause(400)], fixes: [(1, nil)]),
    Case(
      promise: "a position without a time is an epoch by itself", lines: [.timeless, .pause(400)],
      fixes: [(nil, 13)]),
    Case(
      promise: "a position without a time does not disturb one with it",
      lines: [.position(1, longitude: 1), .timeless, .position(1, longitude: 2), .pause(400)], fixes: [(1, 2)]
    ),
    Case(promise: "mode 0 says nothing", lines: [.modeZero, .pause(1000)], fixes: []),
    Case(
      promise: "a step back in time is passed on", lines: [.position(9), .position(3), .position(4)],
      fixes: [(9, 13), (3, 13), (4, 13)]),
  ]

  static let noon = Timestamp(milliseconds: 1_780_000_000_000)

  static func report(_ line: Line) -> GPSDReport? {
    var position = GPSDPosition()
    position.device = "/dev/a"
    (position.mode, position.latitude, position.longitude) = (3, 52, 13)
    switch line {
    case .position(let second, let longitude):
      position.time = noon + .seconds(second)
      position.longitude = longitude
    case .noFix(let second):
      (position.mode, position.time) = (1, noon + .seconds(second))
    case .ellipse(let second):
      return .deviation(
        GPSDDeviation(device: "/dev/a", time: noon + .seconds(second), latitude: 3, longitude: 4))
    case .timeless: break
    case .modeZero: position.mode = 0
    case .satellites: return .satellites(GPSDSatellites(device: "/dev/a", horizontalDilution: 0.8))
    case .pause: return nil
    }
    return .position(position)
  }

  @Test(arguments: cases)
  func epochsAreClosedOnceAndOnTime(_ test: Case) {
    var epochs = GPSDEpochs()
    var now = Moment.zero + .seconds(100)
    var fixes: [Fix] = []
    for line in test.lines {
      if let report = Self.report(line) {
        epochs.take(report, now: now) { fixes.append($0) }
      } else if case .pause(let milliseconds) = line {
        let end = now + .milliseconds(milliseconds)
        if let timeout = epochs.nextTimeout, timeout <= end {
          epochs.handleTimeout(now: timeout) { fixes.append($0) }
        }
        now = end
      }
    }
    let seconds = fixes.map { $0.timestamp.map { ($0 - Self.noon).components.seconds } }
    #expect(seconds == test.fixes.map(\.second))
    #expect(fixes.map(\.longitude) == test.fixes.map(\.longitude))
    #expect(fixes.allSatisfy { ($0.kind == .none) == ($0.longitude == nil) })
  }

  @Test func theEllipseOfAnotherTimeIsNotUsed() {
    var epochs = GPSDEpochs()
    var fixes: [Fix] = []
    for line in [Line.position(1), .ellipse(1), .position(2), .position(3)] {
      if let report = Self.report(line) { epochs.take(report, now: .zero) { fixes.append($0) } }
    }
    #expect(fixes.map(\.horizontalAccuracy) == [5, nil])
    #expect(fixes.map(\.accuracySource) == [.errorEllipse, .none])
  }

  @Test func satelliteReportsAreMergedAndExpire() {
    var epochs = GPSDEpochs()
    var fixes: [Fix] = []
    var now = Moment.zero + .seconds(100)
    func take(_ report: GPSDReport) { epochs.take(report, now: now) { fixes.append($0) } }
    if let position = Self.report(.position(1)) { take(position) }
    take(.satellites(GPSDSatellites(device: "/dev/a", horizontalDilution: 0.8)))
    take(.satellites(GPSDSatellites(device: "/dev/a", verticalDilution: 1.1, satellitesUsed: 9)))
    take(.satellites(GPSDSatellites(device: "/dev/other", horizontalDilution: 7)))
    if let position = Self.report(.position(2)) { take(position) }
    now = now + .seconds(2)
    if let position = Self.report(.position(3)) { take(position) }
    #expect(fixes.map(\.horizontalDilution) == [0.8, nil, nil])
    #expect(fixes.map(\.verticalDilution) == [1.1, nil, nil])
    #expect(fixes.map(\.satellitesUsed) == [9, nil, nil])
  }

  @Test func oneReceiverIsFollowedUntilItHasNoFixForLong() {
    var following = GPSDFollowing()
    let received: [(device: String, hasFix: Bool, second: Int64, isFollowed: Bool)] = [
      ("z", false, 98, true), ("y", false, 98, false), ("a", true, 99, true), ("z", true, 100, false),
      ("a", true, 109, true), ("b", true, 118, false), ("a", false, 118, true), ("b", false, 119, false),
      ("b", true, 119, true), ("a", true, 120, false), ("a", false, 129, true),
    ]
    for report in received {
      let isFollowed = following.received(
        report.device, hasFix: report.hasFix, now: .zero + .seconds(report.second))
      #expect(isFollowed == report.isFollowed, "\(report)")
    }
  }
}
