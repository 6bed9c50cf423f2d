import Motion
import Settings

extension DrivingThresholds {
  package init(_ settings: DrivingSettings) {
    self.init(
      acceleration: settings.acceleration.map(Float.init), braking: settings.braking.map(Float.init),
      cornering: settings.cornering.map(Float.init))
  }
}
