/// The condition under which a setting of `Root` has an effect. Every declaration states it; there is no default.
struct Effect<Root>: Sendable {
  /// The reason why the setting has no effect; nil for a setting that always has one.
  let obstacle: (@Sendable (Root, Configuration, MachineFacts) -> String?)?
  /// True if a value that switches something off is reported, too. Otherwise such a value requires nothing.
  let countsWhenOff: Bool

  /// Indicates that the setting has an effect in every configuration.
  static var always: Self { Self(obstacle: nil, countsWhenOff: false) }

  fileprivate init(
    obstacle: (@Sendable (Root, Configuration, MachineFacts) -> String?)?, countsWhenOff: Bool
  ) {
    self.obstacle = obstacle
    self.countsWhenOff = countsWhenOff
  }
}

extension Effect where Root == Configuration {
  /// Indicates that the setting has an effect only if the configuration meets `requirement`.
  static func requires(_ requirement: Requirement) -> Self {
    Self(
      obstacle: { configuration, _, machine in requirement.obstacle(in: configuration, on: machine) },
      countsWhenOff: requirement == .choiceOfPause)
  }
}

extension Effect where Root == DestinationSettings {
  /// Indicates that the setting has an effect only for destinations that meet `requirement`.
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
  /// Indicates that the setting has an effect only together with another one of its profile.
  static func requires(_ requirement: ProfileRequirement) -> Self {
    Self(obstacle: { profile, _, _ in requirement.obstacle(in: profile) }, countsWhenOff: false)
  }
}

extension Effect where Root == ZoneSettings {
  /// Indicates that the setting has an effect only for zones that meet `requirement`.
  static func requires(_ requirement: ZoneRequirement) -> Self {
    Self(
      obstacle: { zone, configuration, _ in requirement.obstacle(in: zone, configuration) },
      countsWhenOff: false)
  }
}

/// Facts about the host that the check of a configuration requires. The code that reads the files provides them.
public struct MachineFacts: Sendable {
  /// The reason why the program at an absolute path cannot be run, or the unit of that name cannot be started, as text
  /// after its path; nil if it can, or if that is unknown.
  let programFault: @Sendable (String) -> String?
  let hasWirelessNetwork: @Sendable () -> Bool

  public init(
    programFault: @escaping @Sendable (String) -> String?, hasWirelessNetwork: @escaping @Sendable () -> Bool
  ) {
    self.programFault = programFault
    self.hasWirelessNetwork = hasWirelessNetwork
  }

  /// A host with every program and every device.
  public static let complete = MachineFacts(programFault: { _ in nil }, hasWirelessNetwork: { true })
}
