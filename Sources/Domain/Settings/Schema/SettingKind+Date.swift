import Quantities

extension SettingKind where Value == CalendarDate {
  /// A day, as in `2027-03-01`.
  static var date: Self {
    SettingKind("a date as in \"2027-03-01\"", text: text) { value in
      guard case .text(let text) = value else { return .wrongType }
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.map(\.utf8.count) == [4, 2, 2], let year = UInt16(parts[0]), let month = UInt8(parts[1]),
        let day = UInt8(parts[2]),
        let date = CalendarDate(year: Int(year), month: Int(month), day: Int(day)), Self.text(date) == text
      else { return .badValue }
      return .value(date)
    }
  }

  @Sendable private static func text(_ date: CalendarDate) -> String {
    String(Timestamp(date).iso8601().prefix(10))
  }
}
