import GNSSProtocol
import Quantities

/// MediaTek MT33xx: `$PMTK` sentences, acknowledged by `$PMTK001`.
///
/// Settings last as long as the battery-backed memory. Source: GlobalTop PMTK command packet, Quectel L76 and
/// L80 GNSS Protocol Specifications.
public struct MediaTekDialect: Dialect {
  public init(identity: ReceiverIdentity) {}

  public func setUp(_ desiredSetUp: SetUp) -> [ReceiverCommand] {
    let interval = min(max(desiredSetUp.interval, 100), 10_000)
    var commands = [
      command(225, Self.fields(0)), output(satellitesEvery: desiredSetUp.satellitesEvery),
      command(220, Self.fields(interval)), command(300, Self.fields(interval, 0, 0, 0, 0)),
    ]
    switch desiredSetUp.dynamics {
    // Static navigation would hold the position of a slow pedestrian.
    case .pedestrian: commands.append(command(386, Self.fields(0)))
    case .portable, .stationary, .automotive, .sea, .airborne: break
    }
    return commands + periodic(desiredSetUp.power)
  }

  /// RMC, GGA and GST every epoch; GSV and GSA, which lists the satellites used, every `epochs` epochs.
  private func output(satellitesEvery epochs: Int?) -> ReceiverCommand {
    var rates = [Int](repeating: 0, count: 19)
    rates[1] = 1
    rates[3] = 1
    rates[7] = 1
    if let epochs, epochs > 0 {
      // The longest interval in PMTK314 is five epochs.
      rates[4] = min(epochs, 5)
      rates[5] = min(epochs, 5)
    }
    return command(314, rates.map { ",\($0)" }.joined())
  }

  public func satellites(every epochs: Int) -> [ReceiverCommand] { [output(satellitesEvery: epochs)] }

  public func power(_ power: SetUp.Power) -> [ReceiverCommand] {
    switch power {
    case .continuous: [command(225, Self.fields(0))]
    case .cyclic: periodic(power)
    }
  }

  /// Configures periodic standby. It needs about 3 s of tracking per period, so periods below 4 s stay in continuous
  /// mode.
  private func periodic(_ power: SetUp.Power) -> [ReceiverCommand] {
    switch power {
    case .continuous: []
    case .cyclic(let seconds) where seconds < 4: []
    case .cyclic(let seconds):
      [command(225, Self.fields(2, 3000, (min(seconds, 10) - 3) * 1000, 18_000, 72_000))]
    }
  }

  public func speed(_ baud: UInt32) -> ReceiverCommand? {
    guard Self.speeds.contains(baud) else { return nil }
    return .sentence("PMTK251,\(baud)", reply: .none(pause: .milliseconds(100)))
  }

  private static let speeds: Set<UInt32> = [4800, 9600, 14400, 19200, 38400, 57600, 115_200]

  public func keep() -> [ReceiverCommand] { [] }

  /// Standby, stop mode: RAM is kept and any byte wakes it, so the caller ends the sleep.
  public func sleep(for duration: Duration?) -> SleepSequence? {
    SleepSequence(
      commands: [command(161, Self.fields(0))], grace: .seconds(1), needsPin: false, losesSettings: false)
  }

  public func wake() -> WakeSequence {
    WakeSequence(bytes: [0x0D, 0x0A], pause: .milliseconds(500), commands: [])
  }

  public func restart(_ kind: StartKind) -> ReceiverCommand? {
    let number =
      switch kind {
      case .hot: 101
      case .warm: 102
      case .cold: 103
      }
    return .sentence("PMTK\(number)", reply: .none(pause: .milliseconds(500)))
  }

  /// Aids with `$PMTK740`, which has whole seconds and no accuracy: with an error of 3 s or more it would do harm.
  public func aid(time: Timestamp, accuracy: Duration) -> ReceiverCommand? {
    guard accuracy < .seconds(3), let fields = time.sentenceFields else { return nil }
    return command(740, fields)
  }

  /// Always nil, because position aiding exists only together with the time.
  public func aid(position: Coordinate, altitude: Double?, accuracy: Double) -> ReceiverCommand? { nil }

  /// Aids with `$PMTK741`, which has no accuracy for the position either.
  public func aid(
    time: Timestamp, accuracy: Duration, position: Coordinate, altitude: Double?
  ) -> ReceiverCommand? {
    guard accuracy < .seconds(3), let fields = time.sentenceFields else { return nil }
    var text = Array("PMTK741,".utf8)
    text.appendDecimal(Int64(position.latitudeE7), decimals: 7)
    text.append(UInt8(ascii: ","))
    text.appendDecimal(Int64(position.longitudeE7), decimals: 7)
    let metres = altitude.map { $0.isFinite ? Int(min(max($0, -1000), 100_000).rounded()) : 0 } ?? 0
    return .sentence(
      String(decoding: text, as: UTF8.self) + ",\(metres)\(fields)", reply: .pmtk(741))
  }

  public func saveState() -> [ReceiverCommand] { [] }

  public func clearSavedState() -> ReceiverCommand? { nil }

  private func command(_ number: Int, _ fields: String) -> ReceiverCommand {
    .sentence("PMTK\(number)\(fields)", reply: .pmtk(number))
  }

  private static func fields(_ values: Int...) -> String { values.map { ",\($0)" }.joined() }
}

extension Timestamp {
  /// `,year,month,day,hour,minute,second` as in the aiding sentences of MediaTek and Airoha; nil for years
  /// outside their range.
  var sentenceFields: String? {
    let rounded = self + .milliseconds(500)
    let date = rounded.date
    guard (1980...2099).contains(date.year) else { return nil }
    let second = rounded.millisecondOfDay / 1000
    var text = Array(",\(date.year)".utf8)
    for value in [date.month, date.day, Int(second / 3600), Int(second / 60 % 60), Int(second % 60)] {
      text.append(UInt8(ascii: ","))
      text.appendPadded(value, digits: 2)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
