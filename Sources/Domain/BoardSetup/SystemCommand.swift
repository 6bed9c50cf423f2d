/// A command that changes the system.
public enum SystemCommand: Equatable, Sendable {
  case disable(service: String)
  case enable(service: String)
  case mask(service: String)
  case unmask(service: String)
  case addToGroups([String])
  case restart
  /// Restarts the logger's service, without waiting for it.
  case restartLogger

  /// The user of the logger.
  public static let user = "outrider"

  /// The program and its arguments.
  public var words: [String] {
    switch self {
    case .disable(let service): ["systemctl", "disable", service]
    case .enable(let service): ["systemctl", "enable", service]
    case .mask(let service): ["systemctl", "mask", service]
    case .unmask(let service): ["systemctl", "unmask", service]
    case .addToGroups(let groups): ["usermod", "-aG", groups.joined(separator: ","), Self.user]
    case .restart: ["systemctl", "reboot"]
    case .restartLogger: ["systemctl", "--no-block", "restart", "outrider.service"]
    }
  }

  /// The command as a line of a shell.
  public var text: String { words.joined(separator: " ") }

  /// The command that prevents a service from starting; nil if it does not start anyway.
  ///
  /// An instance of a template is masked, because a generator can start it without enabling it (systemd-getty-generator).
  /// A running service is not stopped: the shell on the serial port may be the operator's.
  static func off(_ service: String, in state: ServiceState?) -> SystemCommand? {
    switch state {
    case .enabled: service.contains("@") ? .mask(service: service) : .disable(service: service)
    case .disabled: service.contains("@") ? .mask(service: service) : nil
    case .masked, nil: nil
    }
  }

  /// The command that takes ``off(_:in:)`` back; nil if somebody has already done so.
  static func on(_ service: String, in state: ServiceState?) -> SystemCommand? {
    switch state {
    case .masked: service.contains("@") ? .unmask(service: service) : nil
    case .disabled: service.contains("@") ? nil : .enable(service: service)
    case .enabled, nil: nil
    }
  }
}
