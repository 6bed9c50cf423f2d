import GNSSProtocol
import Quantities

/// SiRFstar III to V in NMEA mode: `$PSRF` sentences without replies.
///
/// Its power modes and dynamics exist only in SiRF binary and are not changed. Source: SiRF NMEA Reference
/// Manual.
public struct SirfDialect: Dialect {
  public init(identity: ReceiverIdentity) {}

  private enum Sentence: Int {
    case gga = 0
    case gll = 1
    case gsa = 2
    case gsv = 3
    case rmc = 4
    case vtg = 5
  }

  /// Sets the seconds between two sentences of a kind; there is one solution per second. GSA stays on,
  /// because there is no GST.
  public func setUp(_ desiredSetUp: SetUp) -> [ReceiverCommand] {
    let seconds = desiredSetUp.decimation(most: 255)
    let satellites = desiredSetUp.satelliteDecimation(most: 255)
    return [
      (Sentence.gsv, satellites), (.rmc, seconds), (.gga, seconds), (.gsa, seconds), (.gll, 0), (.vtg, 0),
    ].map { sentence, rate in output(sentence, every: rate) }
  }

  /// `$PSRF103`: sentence, mode 0 (set the rate), rate in two digits, checksum on.
  private func output(_ sentence: Sentence, every seconds: Int) -> ReceiverCommand {
    var text = Array("PSRF103,".utf8)
    text.appendPadded(sentence.rawValue, digits: 2)
    text.append(contentsOf: ",00,".utf8)
    text.appendPadded(seconds, digits: 2)
    text.append(contentsOf: ",01".utf8)
    return command(String(decoding: text, as: UTF8.self))
  }

  public func satellites(every epochs: Int) -> [ReceiverCommand] {
    [output(.gsv, every: min(max(epochs, 0), 255))]
  }

  public func speed(_ baud: UInt32) -> ReceiverCommand? {
    Self.speeds.contains(baud) ? command("PSRF100,1,\(baud),8,1,0") : nil
  }

  private static let speeds: Set<UInt32> = [4800, 9600, 19200, 38400, 57600, 115_200]

  public func keep() -> [ReceiverCommand] { [] }

  /// Hibernation, from later firmware of SiRFstar III on. A pulse of 100 ms on ON_OFF ends it; there is no
  /// timer, hence no sleep for a duration.
  public func sleep(for duration: Duration?) -> SleepSequence? {
    guard duration == nil else { return nil }
    return SleepSequence(
      commands: [command("PSRF117,16")], grace: .seconds(2), needsPin: true, losesSettings: true)
  }

  public func wake() -> WakeSequence {
    WakeSequence(bytes: [], pause: .milliseconds(500), commands: [])
  }

  public func restart(_ kind: StartKind) -> ReceiverCommand? {
    let code =
      switch kind {
      case .hot: 1
      case .warm: 2
      case .cold: 4
      }
    return command("PSRF101,0,0,0,0,0,0,12,\(code)")
  }

  public func aid(time: Timestamp, accuracy: Duration) -> ReceiverCommand? { nil }

  public func aid(position: Coordinate, altitude: Double?, accuracy: Double) -> ReceiverCommand? { nil }

  public func saveState() -> [ReceiverCommand] { [] }

  public func clearSavedState() -> ReceiverCommand? { nil }

  private func command(_ body: String) -> ReceiverCommand {
    .sentence(body, reply: .none(pause: .milliseconds(100)))
  }
}
