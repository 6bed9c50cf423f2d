extension Configuration {
  /// The GPIO lines by the path of their setting. Outputs come first because a conflict with them does harm.
  public var wiredLines: [(path: String, line: LineSettings)] {
    var light: LineSettings?
    if case .line(let line)? = leds.status { light = line }
    let lines = [
      (Schema.enable.path, receiver.enable), (Schema.networkLine.path, network.line),
      (Schema.statusLED.path, light),
      (
        "\(Schema.accelerometer.path).\(AccelerometerSettings.Field.interrupt.path)", accelerometer?.interrupt
      ),
      (Schema.ignition.path, lines.ignition),
    ]
    return lines.compactMap { path, line in line.map { (path, $0) } }
  }

  /// The errors for lines that several settings use. The settings can come from different sources.
  var linesTakenTwice: [SettingsError] {
    let wired = wiredLines
    return wired.indices.compactMap { index in
      let (path, line) = wired[index]
      let other = wired[..<index].first { $0.line.chip == line.chip && $0.line.line == line.line }
      return other.map { .lineTaken(SettingLocation(file: "", path: path), by: $0.path) }
    }
  }
}
