import GNSSProtocol
import Quantities

/// Quectel modules that accept only `$PQTM`. The reply to a command is its own name with OK or ERROR.
///
/// Source: Quectel LC29H and LG290P GNSS Protocol Specifications. Not every module supports every command.
public struct QuectelDialect: Dialect {
  public init(identity: ReceiverIdentity) {}

  public func setUp(_ desiredSetUp: SetUp) -> [ReceiverCommand] {
    let epochs = desiredSetUp.decimation(most: 20)
    let satellites = desiredSetUp.satelliteDecimation(most: 20)
    var commands = [
      ("GSV", satellites), ("RMC", epochs), ("GGA", epochs), ("GSA", satellites), ("GLL", 0), ("VTG", 0),
    ].map { sentence, rate in command("PQTMCFGMSGRATE", ",W,\(sentence),\(rate)") }
    // Estimated errors in metres; version 2 of the message.
    commands.append(command("PQTMCFGMSGRATE", ",W,PQTMEPE,\(epochs),2"))
    commands.append(command("PQTMCFGFIXRATE", ",W,\(min(max(desiredSetUp.interval, 100), 1000))"))
    return commands
  }

  public func satellites(every epochs: Int) -> [ReceiverCommand] {
    [command("PQTMCFGMSGRATE", ",W,GSV,\(min(max(epochs, 0), 20))")]
  }

  public func speed(_ baud: UInt32) -> ReceiverCommand? {
    guard Self.speeds.contains(baud) else { return nil }
    return .sentence("PQTMCFGUART,W,\(baud)", reply: .none(pause: .milliseconds(100)))
  }

  private static let speeds: Set<UInt32> = [9600, 38400, 57600, 115_200, 230_400, 460_800, 921_600]

  public func keep() -> [ReceiverCommand] { [command("PQTMSAVEPAR")] }

  /// Stops the GNSS part. The line stays active; there is no deeper sleep by command.
  public func sleep(for duration: Duration?) -> SleepSequence? {
    SleepSequence(
      commands: [command("PQTMGNSSSTOP")], grace: .seconds(1), needsPin: false, losesSettings: false)
  }

  public func wake() -> WakeSequence {
    WakeSequence(bytes: [], pause: .zero, commands: [command("PQTMGNSSSTART")])
  }

  public func restart(_ kind: StartKind) -> ReceiverCommand? {
    let name =
      switch kind {
      case .hot: "PQTMHOT"
      case .warm: "PQTMWARM"
      case .cold: "PQTMCOLD"
      }
    return .sentence(name, reply: .none(pause: .milliseconds(500)))
  }

  public func aid(time: Timestamp, accuracy: Duration) -> ReceiverCommand? { nil }

  public func aid(position: Coordinate, altitude: Double?, accuracy: Double) -> ReceiverCommand? { nil }

  public func saveState() -> [ReceiverCommand] { [] }

  public func clearSavedState() -> ReceiverCommand? { nil }

  private func command(_ name: String, _ fields: String = "") -> ReceiverCommand {
    .sentence(name + fields, reply: .pqtm(name))
  }
}
