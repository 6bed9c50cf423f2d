import LocalAPI

extension StatusText {
  /// Returns the rows of the battery and, if fitted, of its fuel gauge.
  static func rows(_ battery: StatusReport.Battery) -> [(String, String)] {
    guard let gauge = battery.gauge else { return [("battery", "unknown, no fuel gauge")] }
    let connection =
      gauge.address.map { "\(gauge.name) at \($0) of \(gauge.path)" } ?? "\(gauge.name) of \(gauge.path)"
    var parts = gauge.is_lost ? ["lost: \(gauge.trouble ?? "")"] : []
    parts.append(battery.age_s.map { "read \(duration($0)) ago" } ?? "not read yet")
    return [
      ("battery", describe(battery)), ("fuel gauge", "\(connection), \(parts.joined(separator: ", "))"),
    ]
  }

  private static func describe(_ battery: StatusReport.Battery) -> String {
    var parts = [battery.state ?? "state unknown"]
    let doubt = battery.percent_doubt.map { " (\($0))" } ?? ""
    parts.append((battery.percent.map { "\(text($0)) %" } ?? "charge unknown") + doubt)
    if let voltage = battery.voltage_V { parts.append("\(text(voltage)) V") }
    if let current = battery.current_mA {
      parts.append("\(signed(current)) mA\(battery.current_source.map { " \($0)" } ?? "")")
    }
    if let rate = battery.rate_percent_h { parts.append("\(signed(rate)) %/h (model of the gauge)") }
    if let temperature = battery.temperature_C {
      parts.append("\(text(temperature)) °C\(battery.temperature_of == "die" ? " (chip)" : "")")
    }
    return parts.joined(separator: ", ")
  }

  /// Returns a number, without a fraction if it is whole.
  private static func text(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? "\(number)"
  }

  private static func signed(_ number: Double) -> String { (number > 0 ? "+" : "") + text(number) }
}
