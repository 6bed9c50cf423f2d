import Motion
import Records
import Settings

extension EventRecord {
  /// The event of harsh driving.
  init(_ event: DrivingEvent) {
    let peak = (event.peak * 10).rounded() / 10
    let seconds = (event.duration.inSeconds * 10).rounded() / 10
    let measure = "\(peak) m/s² for \(seconds) s"
    let value = Int64((event.peak * 1000).rounded())
    switch event.kind {
    case .acceleration: self.init(.harshAcceleration, detail: measure, value: value)
    case .braking: self.init(.harshBraking, detail: measure, value: value)
    case .corneringLeft: self.init(.harshCornering, detail: "left, \(measure)", value: value)
    case .corneringRight: self.init(.harshCornering, detail: "right, \(measure)", value: value)
    }
  }
}

extension DrivingThresholds {
  init(_ settings: DrivingSettings) {
    self.init(
      acceleration: settings.acceleration.map(Float.init), braking: settings.braking.map(Float.init),
      cornering: settings.cornering.map(Float.init))
  }
}
