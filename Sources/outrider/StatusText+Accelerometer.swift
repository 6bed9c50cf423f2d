import LocalAPI

extension StatusText {
  static func describe(_ accelerometer: StatusReport.Accelerometer) -> String {
    var parts = ["\(accelerometer.name) at \(accelerometer.address) of \(accelerometer.path)"]
    if accelerometer.is_lost { parts.append("lost: \(accelerometer.trouble ?? "")") }
    switch accelerometer.does {
    case "sampling":
      let rate = accelerometer.rate_hz.map { " at \($0) Hz" } ?? ""
      let range = accelerometer.range_g.map { ", ±\($0) g" } ?? ""
      parts.append("sampling\(rate)\(range)")
    case "watching":
      parts.append("at rest, \(accelerometer.has_line ? "wakes by its line" : "polled for movement")")
    case let other?: parts.append(other)
    case nil: if !accelerometer.is_lost { parts.append("being set up") }
    }
    if accelerometer.self_test == "failed" { parts.append("self-test failed") }
    if accelerometer.overruns > 0 {
      parts.append(
        "read too late \(accelerometer.overruns) times, \(accelerometer.missing_samples) samples lost")
    }
    if accelerometer.doubtful_samples > 0 {
      parts.append("\(accelerometer.doubtful_samples) impossible samples thrown away")
    }
    if let temperature = accelerometer.temperature_C { parts.append("\(temperature) °C") }
    return parts.joined(separator: ", ")
  }
}
