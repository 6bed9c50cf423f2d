import LocalAPI

extension StatusText {
  /// Returns the row `accelerometer`.
  static func describe(_ accelerometer: StatusReport.Accelerometer) -> String {
    var parts = ["\(accelerometer.name) at \(accelerometer.address) of \(accelerometer.path)"]
    if accelerometer.is_lost { parts.append("lost: \(accelerometer.trouble ?? "")") }
    switch accelerometer.does {
    case "sampling":
      let rate = accelerometer.rate_hz.map { " at \($0) Hz" } ?? ""
      let range = accelerometer.range_g.map { ", ±\($0) g" } ?? ""
      parts.append("sampling\(rate)\(range)")
    case "watching":
      parts.append("wake-on-motion, \(accelerometer.has_line ? "by interrupt line" : "polled")")
    case let other?: parts.append(other)
    case nil: if !accelerometer.is_lost { parts.append("initializing") }
    }
    if accelerometer.self_test == "failed" { parts.append("self-test failed") }
    if accelerometer.overruns > 0 {
      parts.append(
        "\(counted(accelerometer.overruns, "overrun")), \(counted(accelerometer.missing_samples, "sample")) lost"
      )
    }
    if accelerometer.doubtful_samples > 0 {
      parts.append("\(counted(accelerometer.doubtful_samples, "impossible sample")) discarded")
    }
    if let temperature = accelerometer.temperature_C { parts.append("\(temperature) °C") }
    return parts.joined(separator: ", ")
  }
}
