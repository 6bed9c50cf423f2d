import GNSSReceiver
import Quantities
import Settings

extension DialogueSettings {
  package init(_ configuration: Configuration, inTrip: Bool) {
    let receiver = configuration.receiver
    self.init(
      control: receiver.control, speed: receiver.speed,
      targetSpeed: receiver.targetSpeed.flatMap { UInt32(exactly: $0) },
      setUp: SetUp(configuration, inTrip: inTrip))
  }
}

extension SetUp {
  /// The longest interval between epochs in ms, also if locations are stored less often.
  static let slowest = 1000
  /// The shortest interval between epochs in ms.
  package static let fastest = 100

  /// The desired receiver configuration; nil without receiver control.
  ///
  /// A `min_time` of zero stores every epoch at the usual interval.
  package init?(_ configuration: Configuration, inTrip: Bool) {
    guard configuration.receiver.control == .full else { return nil }
    let (main, trip) = (configuration.main, configuration.usualTrip)
    let minTime = Int(clamping: (inTrip ? trip.minTime : main.minTime).wholeMilliseconds)
    self.init(
      interval: minTime > 0 ? min(max(minTime, Self.fastest), Self.slowest) : Self.slowest,
      dynamics: Dynamics(inTrip ? trip.activityType : main.activityType))
  }
}

extension SetUp.Dynamics {
  package init(_ activity: ActivityType) {
    switch activity {
    case .other, .nav: self = .portable
    case .car: self = .automotive
    case .fitness: self = .pedestrian
    case .air: self = .airborne
    }
  }
}
