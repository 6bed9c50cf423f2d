/// The facts about a system on which the set-up of a board depends.
public struct MachineState: Equatable, Sendable {
  /// The directory that stands for `/`; empty for the running system.
  public var root: String
  /// The mount point of the boot partition, `/boot/firmware` or `/boot`; nil if there is no config.txt.
  public var bootFolder: String?
  /// The bytes of the files that exist.
  public var files: [SetupFile: [UInt8]]
  /// The copies that exist.
  public var copies: [SetupFile: [UInt8]]
  /// The states of the services that are asked for; a missing one is not installed.
  public var services: [String: ServiceState]
  /// The groups that exist, but of which the user `outrider` is no member; empty without such a user.
  public var missingGroups: [String]

  public init(
    root: String = "", bootFolder: String?, files: [SetupFile: [UInt8]] = [:],
    copies: [SetupFile: [UInt8]] = [:],
    services: [String: ServiceState] = [:], missingGroups: [String] = []
  ) {
    self.root = root
    self.bootFolder = bootFolder
    self.files = files
    self.copies = copies
    self.services = services
    self.missingGroups = missingGroups
  }

  /// The path of a file, with the root directory.
  public func path(of file: SetupFile) -> String {
    root + file.path(bootFolder: bootFolder ?? "/boot/firmware")
  }
}

/// The state of an installed service of systemd.
public enum ServiceState: String, Sendable {
  case enabled, disabled, masked
}
