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
  /// The paths of the secrets in the file, as in `destinations[0].token`.
  public var secrets: [String] = []
  /// The reason why run-time settings cannot be read; nil if they can.
  public var storedFault: String?
  /// True if only this user must not read the run-time settings, which the logger alone may read (mode 600).
  public var isStoredDenied = false
  /// The keys whose value differs in the running logger.
  public var differences: Fact<[String]> = .absent
  /// The text of scripts that the configuration names, by path.
  public var scripts: [String: String] = [:]

  public init() {}

  /// The reason why a check that requires the run-time settings is skipped.
  public func unreadStored(_ observer: Identity) -> String {
    isStoredDenied
      ? "\(observer.name) may not read the run-time settings; run doctor with sudo"
      : "the run-time settings cannot be read: see settings-persisted"
  }

  /// Returns the paths of the secrets in a configuration file: tokens, passwords, values of headers, and addresses
  /// with a password, a query or a webhook.
  public static func secrets(in file: EditableSettings) -> [String] {
    file.hiddenValues.compactMap { value in
      let text = value.secret.revealed
      let isSecret = !text.contains("://") || ["@", "?", "/webhook/"].contains { text.contains($0) }
      return isSecret ? value.path : nil
    }
  }
}
