import GNSSProtocol
import Quantities

/// Airoha AG33xx: `$PAIR` sentences, acknowledged by `$PAIR001`.
///
/// Source: Quectel LC26G/LC76G/LC86G and LC29H GNSS Protocol Specifications.
public struct AirohaDialect: Dialect {
  public init(identity: ReceiverIdentity) {}

  private enum Sentence: Int {
    case gga = 0
    case gll = 1
    case gsa = 2
    case gsv = 3
    case rmc = 4
    case vtg = 5
    case gst = 8
  }

  public func setUp(_ desiredSetUp: SetUp) -> [ReceiverCommand] {
    let epochs = desiredSetUp.decimation(most: 20)
    let satellites = desiredSetUp.satelliteDecimation(most: 20)
    // A receiver asleep between epochs would miss the following commands.
    var commands = [command(382, 1)]
    for (sentence, rate) in [
      (Sentence.gsv, satellites), (.rmc, epochs), (.gga, epochs), (.gst, epochs), (.gsa, satellites),
      (.gll, 0), (.vtg, 0),
    ] {
      commands.append(command(62, sentence.rawValue, rate))
    }
    commands.append(contentsOf: rate(min(max(desiredSetUp.interval, 100), 1000)))
    commands.append(command(80, desiredSetUp.dynamics == .pedestrian ? 1 : 0))
    commands.append(command(382, 0))
    return commands
  }

  public func satellites(every epochs: Int) -> [ReceiverCommand] {
    [command(382, 1), command(62, Sentence.gsv.rawValue, min(max(epochs, 0), 20)), command(382, 0)]
  }

  /// Commands for the interval; some firmware accepts rates above 1 Hz only while the GNSS part is off.
  private func rate(_ interval: Int) -> [ReceiverCommand] {
    interval < 1000 ? [command(3), command(50, interval), command(2)] : [command(50, interval)]
  }

  /// Sets the baud rate, which changes with the restart after saving.
  public func speed(_ baud: UInt32) -> ReceiverCommand? {
    guard Self.speeds.contains(baud) else { return nil }
    let bytes = ["PAIR864,0,0,\(baud)", "PAIR513", "PAIR023"].flatMap(CommandSentence.bytes)
    return ReceiverCommand(name: "PAIR864", bytes: bytes, reply: .none(pause: .milliseconds(500)))
  }

  private static let speeds: Set<UInt32> = [9600, 38400, 57600, 115_200, 230_400, 460_800, 921_600]

  public func keep() -> [ReceiverCommand] { [] }

  /// Backup mode. Its duration ends it; otherwise only the WAKEUP pin does.
  public func sleep(for duration: Duration?) -> SleepSequence? {
    SleepSequence(
      commands: [command(382, 0), command(650, duration.map(Self.seconds) ?? 0)], grace: .seconds(1),
      needsPin: true, losesSettings: true)
  }

  /// Switches GNSS off with the serial line on, which draws more current than backup mode but requires no pin.
  public func doze() -> SleepSequence? {
    SleepSequence(commands: [command(3)], grace: .seconds(1), needsPin: false, losesSettings: false)
  }

  public func wake() -> WakeSequence {
    let unlock = CommandSentence.bytes("PAIR382,1")
    return WakeSequence(
      bytes: unlock + unlock + unlock, pause: .milliseconds(200), commands: [command(382, 1), command(2)])
  }

  public func restart(_ kind: StartKind) -> ReceiverCommand? {
    switch kind {
    case .hot: command(4)
    case .warm: command(5)
    case .cold: command(6)
    }
  }

  /// Aids with `$PAIR590`, which has whole seconds and no accuracy: with an error of 3 s or more it would do harm.
  public func aid(time: Timestamp, accuracy: Duration) -> ReceiverCommand? {
    guard accuracy < .seconds(3), let fields = time.sentenceFields else { return nil }
    return .sentence("PAIR590\(fields)", reply: .pair(590))
  }

  /// `$PAIR600`: position, semi-axes of the error ellipse and their bearing, error of the altitude.
  public func aid(position: Coordinate, altitude: Double?, accuracy: Double) -> ReceiverCommand? {
    let error = Self.metres(max(accuracy, 1))
    let heightError = altitude == nil ? 10_000 : max(error, 100)
    var text = Array("PAIR600,".utf8)
    text.appendDecimal(Int64(position.latitudeE7), decimals: 7)
    text.append(UInt8(ascii: ","))
    text.appendDecimal(Int64(position.longitudeE7), decimals: 7)
    text.append(contentsOf: ",\(Self.metres(altitude ?? 0)),\(error),\(error),0,\(heightError)".utf8)
    return .sentence(String(decoding: text, as: UTF8.self), reply: .pair(600))
  }

  public func saveState() -> [ReceiverCommand] { [] }

  public func clearSavedState() -> ReceiverCommand? { nil }

  private func command(_ number: Int, _ values: Int...) -> ReceiverCommand {
    var text = Array("PAIR".utf8)
    text.appendPadded(number, digits: 3)
    for value in values { text.append(contentsOf: ",\(value)".utf8) }
    return .sentence(String(decoding: text, as: UTF8.self), reply: .pair(number))
  }

  /// A duration in whole seconds, at least one and at most a year.
  private static func seconds(_ duration: Duration) -> Int {
    Int(min(max(duration.wholeMilliseconds / 1000, 1), 31_536_000))
  }

  private static func metres(_ value: Double) -> Int {
    value.isFinite ? Int(min(max(value, -100_000), 100_000).rounded()) : 0
  }
}
