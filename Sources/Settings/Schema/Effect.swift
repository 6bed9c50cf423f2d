/// When a setting of `Root` has an effect. Every declaration says so itself; there is no default.
struct Effect<Root>: Sendable {
  /// Nil for a setting that always has one.
  let obstacle: (@Sendable (Root, Configuration, MachineFacts) -> String?)?
  /// A value that switches something off asks for nothing, and is reported only here.
  let countsWhenOff: Bool

  /// The setting has an effect in every configuration.
  static var always: Self { Self(obstacle: nil, countsWhenOff: false) }

  fileprivate init(
    obstacle: (@Sendable (Root, Configuration, MachineFacts) -> String?)?, countsWhenOff: Bool
  ) {
    self.obstacle = obstacle
    self.countsWhenOff = countsWhenOff
  }
}

extension Effect where Root == Configuration {
  /// The setting has an effect only if the whole configuration provides something.
  static func requires(_ requirement: Requirement) -> Self {
    Self(
      obstacle: { configuration, _, machine in requirement.obstacle(in: configuration, on: machine) },
      countsWhenOff: requirement == .choiceOfPause)
  }
}

extension Effect where Root == DestinationSettings {
  /// The setting has an effect only for some destinations.
  static func requires(_ requirement: DestinationRequirement) -> Self {
    Self(
      obstacle: { destination, configuration, _ in
        let sending = configuration.delivery(to: destination.name)
        return requirement.obstacle(
          in: destination, [sending.loggingMode, sending.tripLoggingMode],
          beginsTrips: configuration.trip.start == .automatic)
      }, countsWhenOff: false)
  }
}

extension Effect where Root == ProfileSettings {
  /// The setting has an effect only beside another one of its profile.
  static func requires(_ requirement: ProfileRequirement) -> Self {
    Self(obstacle: { profile, _, _ in requirement.obstacle(in: profile) }, countsWhenOff: false)
  }
}

extension Effect where Root == ZoneSettings {
  /// The setting has an effect only for some zones.
  static func requires(_ requirement: ZoneRequirement) -> Self {
    Self(
      obstacle: { zone, configuration, _ in requirement.obstacle(in: zone, configuration) },
      countsWhenOff: false)
  }
}

/// What the check of a configuration has to know of the machine. Whoever reads files provides it.
public struct MachineFacts: Sendable {
  /// Why the program at an absolute path cannot be run, to stand after its path; nil if it can, or if nobody knows.
  let programFault: @Sendable (String) -> String?
  let hasWirelessNetwork: @Sendable () -> Bool

  public init(
    programFault: @escaping @Sendable (String) -> String?, hasWirelessNetwork: @escaping @Sendable () -> Bool
  ) {
    self.programFault = programFault
    self.hasWirelessNetwork = hasWirelessNetwork
  }

  /// A machine that has every program and every device.
  public static let complete = MachineFacts(programFault: { _ in nil }, hasWirelessNetwork: { true })
}
