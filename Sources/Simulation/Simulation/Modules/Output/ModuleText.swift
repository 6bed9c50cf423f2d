/// Formats numbers for sentences.
enum ModuleText {
  /// Formats an integer with at least `digits` digits, with leading zeros.
  static func padded(_ value: Int, _ digits: Int) -> String {
    let text = String(value.magnitude)
    let zeros = String(repeating: "0", count: max(0, digits - text.count))
    return (value < 0 ? "-" : "") + zeros + text
  }

  /// Formats a number rounded to `places` decimals; 0 if the value is not a number or too large.
  static func decimal(_ value: Double, _ places: Int, digits: Int = 1) -> String {
    var unit = 1
    for _ in 0..<places { unit *= 10 }
    let scaled = Int(exactly: (value * Double(unit)).rounded()) ?? 0
    let whole = padded(scaled.quotient(unit), digits)
    let sign = scaled < 0 ? "-" : ""
    return places == 0 ? sign + whole : "\(sign)\(whole).\(padded(scaled.remainder(unit), places))"
  }

  /// Formats degrees as `ddmm.m…` with `degrees` digits of degrees, and the letter of the hemisphere.
  static func angle(_ value: Double, degrees: Int, places: Int, _ letters: (String, String)) -> String {
    var unit = 60
    for _ in 0..<places { unit *= 10 }
    let minutes = Int(exactly: (value.magnitude * Double(unit)).rounded()) ?? 0
    let minutesText = decimal(Double(minutes % unit) * 60 / Double(unit), places, digits: 2)
    return "\(padded(minutes / unit, degrees))\(minutesText),\(value < 0 ? letters.1 : letters.0)"
  }
}

extension Int {
  fileprivate func quotient(_ divisor: Int) -> Int { Int(clamping: magnitude / divisor.magnitude) }
  fileprivate func remainder(_ divisor: Int) -> Int { Int(clamping: magnitude % divisor.magnitude) }
}
