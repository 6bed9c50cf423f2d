import Settings
import Tracking

extension AcquisitionRules {
  package init(_ profile: ProfileSettings) {
    self.init(minPeriod: profile.period, minDistance: profile.distanceMetres)
    angle = profile.angle.map { short in
      profile.longAngle.map { .twoScale(short: short, within: profile.angleWithinMetres, long: $0) }
        ?? .fixed(degrees: short)
    }
    angleMinSpeed = profile.angleMinSpeed / 3.6
    minSpeedDelta = profile.speed.map { $0 / 3.6 }
    beaconing = profile.beaconing.map { SmartBeaconing($0) }
    maxPeriod = profile.ceiling
    minInterval = profile.minInterval
    reactsToTransitions = profile.reactsToTransitions
    reactsToEvents = profile.reactsToEvents
  }
}

extension SmartBeaconing {
  fileprivate init(_ figures: BeaconingSettings) {
    self.init(
      slowRate: figures.slowRate, slowSpeed: figures.slowSpeed / 3.6, fastRate: figures.fastRate,
      fastSpeed: figures.fastSpeed / 3.6, turnAngle: figures.turnAngle, turnSlope: figures.turnSlope / 3.6,
      turnTime: figures.turnTime)
  }
}

extension ParkingRules {
  /// Translates the settings; nil if no delay is configured, so that there is no parking position.
  package init?(_ parking: ParkingSettings) {
    guard let delay = parking.delay else { return nil }
    self.init()
    self.delay = delay
    radius = parking.radiusMetres
    blindDelay = parking.blindDelay
  }
}
