import GNSSProtocol
import Quantities

/// AT6558 and AT6668 (ATGM336H, L76K, Air530Z): `$PCAS` sentences, none of which is answered.
///
/// Source: CASIC Multimode Satellite Navigation Receiver Protocol Specification V4.2.0.3, Quectel L76K GNSS
/// Protocol Specification.
public struct CasicDialect: Dialect {
  public init(identity: ReceiverIdentity) {}

  public func setUp(_ desiredSetUp: SetUp) -> [ReceiverCommand] {
    [
      output(desiredSetUp), command("PCAS02,\(interval(desiredSetUp))"),
      command("PCAS11,\(model(desiredSetUp.dynamics))"),
    ]
  }

  /// The interval for PCAS02: the longest available one that is not slower than desired.
  private func interval(_ desiredSetUp: SetUp) -> Int {
    [1000, 500, 250, 200, 100].first { $0 <= desiredSetUp.interval } ?? 100
  }

  /// PCAS03: GGA, GLL, GSA, GSV, RMC, VTG, ZDA, ANT, DHV, LPS, two reserved, UTC, GST. Each every n-th epoch,
  /// 0 to 9. ANT stays unchanged, because it reports antenna faults.
  private func output(_ desiredSetUp: SetUp) -> ReceiverCommand {
    let epochs = desiredSetUp.decimation(most: 9)
    let satellites = desiredSetUp.satelliteDecimation(most: 9)
    return command("PCAS03,\(epochs),0,\(satellites),\(satellites),\(epochs),0,0,,0,0,,,0,\(epochs)")
  }

  /// PCAS03 with all other rates unchanged.
  public func satellites(every epochs: Int) -> [ReceiverCommand] {
    [command("PCAS03,,,,\(min(max(epochs, 0), 9)),,,,,,,,,,")]
  }

  private func model(_ dynamics: SetUp.Dynamics) -> Int {
    switch dynamics {
    case .portable: 0
    case .stationary: 1
    case .pedestrian: 2
    case .automotive: 3
    case .sea: 4
    case .airborne: 6
    }
  }

  public func speed(_ baud: UInt32) -> ReceiverCommand? {
    Self.speeds.firstIndex(of: baud).map { command("PCAS01,\($0)") }
  }

  private static let speeds: [UInt32] = [4800, 9600, 19200, 38400, 57600, 115_200]

  public func keep() -> [ReceiverCommand] { [command("PCAS00")] }

  /// Standby in whole seconds. An unlimited sleep does not exist; 65 535 s (18 hours) is the longest.
  public func sleep(for duration: Duration?) -> SleepSequence? {
    let seconds = duration.map { min(max($0.wholeMilliseconds / 1000, 1), 65_535) } ?? 65_535
    return SleepSequence(
      commands: [command("PCAS12,\(seconds)")], grace: .seconds(1), needsPin: false, losesSettings: true)
  }

  public func wake() -> WakeSequence {
    WakeSequence(bytes: [0x0D, 0x0A], pause: .milliseconds(500), commands: [])
  }

  public func restart(_ kind: StartKind) -> ReceiverCommand? {
    switch kind {
    case .hot: command("PCAS10,0")
    case .warm: command("PCAS10,1")
    case .cold: command("PCAS10,2")
    }
  }

  public func aid(time: Timestamp, accuracy: Duration) -> ReceiverCommand? { nil }

  public func aid(position: Coordinate, altitude: Double?, accuracy: Double) -> ReceiverCommand? { nil }

  public func saveState() -> [ReceiverCommand] { [] }

  public func clearSavedState() -> ReceiverCommand? { nil }

  private func command(_ body: String) -> ReceiverCommand {
    .sentence(body, reply: .none(pause: .milliseconds(100)))
  }
}
