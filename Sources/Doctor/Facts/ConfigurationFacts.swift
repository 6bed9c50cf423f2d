import Settings

/// The configuration as files and run-time settings give it.
public struct ConfigurationFacts: Sendable {
  /// Path of the configuration file.
  public var path = "/etc/outrider/config.json5"
  /// The file; nil if it does not exist or cannot be seen.
  public var file: FileNode?
  /// The effective settings; nil if the configuration is invalid or cannot be read.
  public var settings: Configuration?
  /// The errors of the configuration; nil if it is valid.
  public var fault: String?
  /// True if this user must not read the configuration.
  public var isDenied = false
  /// True if options of the command line give settings.
  public var hasOverrides = false
  public var warnings: [String] = []
  /// The reason why run-time settings cannot be read; nil if they can.
  public var storedFault: String?
  /// The keys whose value differs in the running logger.
  public var differences: Fact<[String]> = .absent
  /// The text of scripts that the configuration names, by path.
  public var scripts: [String: String] = [:]

  public init() {}

  /// True if a setting holds a token or a password.
  var hasSecrets: Bool {
    guard let settings else { return false }
    return settings.api.token != nil
      || settings.destinations.contains { $0.token != nil || $0.password != nil }
  }
}
