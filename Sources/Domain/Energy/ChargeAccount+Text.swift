import Quantities

// The text form of accounts for the log: one line per account, whole numbers separated by tabs.
extension ChargeAccount {
  /// The maximum length of the text in UTF-8 bytes.
  public static let longestText = 1900
  private static let head = "energy 1"
  private static let dayCode = "d="

  static func text(of accounts: [ChargeAccount]) -> String {
    ([head] + accounts.map(\.line)).joined(separator: "\n")
  }

  /// Parses all valid lines; returns none for another kind of text.
  static func accounts(text: String) -> [ChargeAccount] {
    let lines = text.split(separator: "\n")
    guard lines.first == head[...] else { return [] }
    return lines.dropFirst().compactMap { ChargeAccount(line: $0) }
  }

  /// The line of an account: `start seconds millivolts seen explained d=day share=charge/seconds…`.
  ///
  /// Charges are in µAh, times in whole seconds. A `?` follows a share whose charge is partly unknown.
  private var line: String {
    var fields = [
      start.map { "\($0.milliseconds)" } ?? "-", "\(Self.seconds(duration))",
      "\(Self.whole(supplyVolts * 1000))", seenByGauge.map { "\(Self.microampereHours($0))" } ?? "-",
      "\(Self.microampereHours(explained))",
    ]
    if let day { fields.append("\(Self.dayCode)\(day)") }
    for share in EnergyShare.all {
      guard let entry = entries[share], entry != Entry() else { continue }
      fields.append(
        "\(share.code)=\(Self.microampereHours(entry.charge))/\(Self.seconds(entry.time))"
          + (entry.isIncomplete ? "?" : ""))
    }
    return fields.joined(separator: "\t")
  }

  private init?(line: Substring) {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count >= 5, let seconds = Self.number(fields[1]), seconds >= 0,
      let millivolts = Self.number(fields[2]), let explained = Self.number(fields[4])
    else { return nil }
    self.init(
      start: Self.number(fields[0]).map { Timestamp(milliseconds: $0) },
      supplyVolts: Double(millivolts) / 1000)
    // Accounts of earlier releases were days in UTC.
    day = start?.day
    duration = .seconds(seconds)
    seenByGauge = Self.number(fields[3]).map(Self.charge)
    self.explained = Self.charge(explained)
    for field in fields.dropFirst(5) {
      if field.hasPrefix(Self.dayCode) {
        day = Self.number(field.dropFirst(Self.dayCode.utf8.count)).flatMap { Int(exactly: $0) }
        continue
      }
      var remainder = field
      let isIncomplete = remainder.last == "?"
      if isIncomplete { remainder.removeLast() }
      let sides = remainder.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, let share = EnergyShare.all.first(where: { $0.code == sides[0] }) else {
        continue
      }
      let numbers = sides[1].split(separator: "/", omittingEmptySubsequences: false).map(Self.number)
      guard numbers.count == 2, let charge = numbers[0], let time = numbers[1], time >= 0 else { continue }
      var entry = Entry()
      entry.charge = Self.charge(charge)
      entry.time = .seconds(time)
      entry.isIncomplete = isIncomplete
      entries[share] = entry
    }
  }

  /// The limit of plausible numbers.
  private static let largest: Int64 = 1 << 50

  private static func number(_ text: Substring) -> Int64? {
    Int64(text).flatMap { (-largest...largest).contains($0) ? $0 : nil }
  }

  private static func whole(_ value: Double) -> Int64 {
    Int64(exactly: min(max(value, Double(-largest)), Double(largest)).rounded()) ?? 0
  }

  private static func seconds(_ duration: Duration) -> Int64 { whole(duration.inSeconds) }
  private static func microampereHours(_ charge: Charge) -> Int64 { whole(charge.milliampereHours * 1000) }
  private static func charge(_ microampereHours: Int64) -> Charge {
    Charge(milliampereHours: Double(microampereHours) / 1000)
  }
}

extension EnergyShare {
  /// A short name, to store many in the limited text.
  fileprivate var code: String {
    switch self {
    case .receiver(let state):
      switch state {
      case .off: "o"
      case .backup: "b"
      case .searching: "a"
      case .settling: "s"
      case .tracking: "t"
      case .cyclic: "c"
      }
    case .accelerometer: "m"
    case .gauge: "g"
    case .hostBase: "h"
    case .hostDown: "d"
    case .hostCycle: "k"
    case .processor: "p"
    case .storage: "w"
    case .radioWaiting: "r"
    case .radioSending: "x"
    case .radioTail: "y"
    case .overhead: "v"
    }
  }
}
