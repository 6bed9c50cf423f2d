/// The facts that the checks judge. The default values describe a system about which nothing is known.
public struct SystemFacts: Sendable {
  public var observer = Identity(name: "", user: 0, groups: [])
  public var configuration = ConfigurationFacts()
  public var host = HostFacts()
  public var service = ServiceFacts()
  public var logger = LoggerFacts()
  public var port = PortFacts()
  public var buses = BusFacts()
  public var clock = ClockFacts()
  public var storage = StorageFacts()
  public var network = NetworkFacts()
  public var power = PowerFacts()

  public init() {}

  /// The remedies for a board's preparation: the command that prepares a named Raspberry Pi board, then a line to edit.
  func boardRemedies(_ manual: String) -> [String] {
    guard host.isRaspberryPi, case .named(let name)? = configuration.settings?.board,
      name.hasPrefix("raspberry-pi") || ["field-unit", "cm4-telematics"].contains(name)
    else { return [manual] }
    return ["sudo outrider boards \(name) --apply", manual]
  }

  /// The user that runs the logger: that of the unit, without one that of the process, else the observer.
  var loggerIdentity: Identity {
    guard let unit = service.unit, unit.isLoaded else {
      guard let process = service.process, let user = process.user else { return observer }
      return Identity(name: host.accounts.userName(user), user: user, groups: process.groups)
    }
    return host.accounts.identity(
      of: unit["User"] ?? "root", supplementary: unit.words("SupplementaryGroups"))
      ?? observer
  }
}
