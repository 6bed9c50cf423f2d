/// The systemd service and the logger's process.
public struct ServiceFacts: Equatable, Sendable {
  /// The unit outrider.service; nil if systemctl did not respond.
  public var unit: UnitProperties?
  /// The reason why systemctl did not respond.
  public var fault: String?
  /// Properties of the service manager itself.
  public var manager: UnitProperties?
  /// Other units by name: gpsd, gettys, time services and others that touch the logger's devices.
  public var others: [String: UnitProperties] = [:]
  /// The upgrade that is on trial; nil if there is none.
  public var trial: UpgradeFacts?
  /// The reason why the last upgrade was rolled back; nil if it was not.
  public var returned: String?
  /// The reason why a version that failed its trial stays; nil if none does.
  public var kept: String?
  /// The process of the logger; nil if none was found.
  public var process: ProcessFacts?

  public init() {}

  /// True if an upgrade was rolled back and the program of the previous version runs; a program that this user cannot
  /// see counts as that.
  var runsPreviousVersion: Bool { returned != nil && process?.program?.contains("/previous/") != false }

  /// Returns true if the other unit runs.
  func runs(_ unit: String) -> Bool { others[unit]?.isActive == true }
}

/// An upgrade of the package.
public struct UpgradeFacts: Equatable, Sendable {
  public var old: String
  public var new: String

  public init(old: String, new: String) { (self.old, self.new) = (old, new) }
}

/// A process of the logger, from /proc.
public struct ProcessFacts: Equatable, Sendable {
  public var id: Int32
  /// Path of its program; nil if this user may not see it.
  public var program: String?
  /// True if the program's file was replaced or deleted since the start.
  public var isProgramDeleted = false
  /// Time of the start in seconds since 1970.
  public var started: Int64?
  /// Time of the last change of the program's file in seconds since 1970.
  public var programModified: Int64?
  /// The effective user.
  public var user: UInt32?
  /// The groups, the effective one included.
  public var groups: Set<UInt32> = []
  /// Bytes written to storage; nil if this user may not see them.
  public var writtenBytes: Int64?
  /// The AppArmor profile; nil if there is none.
  public var profile: String?

  public init(id: Int32) { self.id = id }
}
