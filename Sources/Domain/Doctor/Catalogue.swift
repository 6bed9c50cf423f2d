/// All checks, in the order of the report.
public enum Catalogue {
  public static let checks: [Check] =
    ConfigurationChecks.all + LoggerChecks.all + ReceiverChecks.all + ReceptionChecks.all + BusChecks.all
    + ClockChecks.all + StorageChecks.all + MediumChecks.all + NetworkChecks.all + PowerChecks.all
    + SystemChecks.all

  public static let ids: [String] = checks.map(\.id)

  /// The checks that the logger can run by itself: by files, its own state and its log. The others require the network,
  /// other programs, a device in use, or another view of the configuration.
  public static let insideLogger: Set<String> = [
    "board-known", "destinations-any", "secrets-readable", "settings-persisted", "running", "responding",
    "version-current", "update-state", "last-exit", "port-exists", "uart-overlay", "port-permission",
    "usb-by-id",
    "bytes", "frames", "identified", "configured", "time-from-receiver", "antenna", "reception",
    "speed-for-rate",
    "i2c-enabled", "i2c-permission", "accelerometer", "gauge", "i2c-errors", "status-led", "system-clock",
    "fake-hwclock", "zone", "volatile", "overlay-recursion", "read-only", "storage-permission", "free-space",
    "fs-errors", "noatime", "wear", "bytes-per-day", "flush-latency", "log-integrity",
    "journal-persistent-and-bounded", "route", "queue-age", "token-length", "under-voltage", "throttled",
    "temperature", "board-currents", "supply-setting", "gauge-plausible", "image-64-bit", "groups-exist",
    "udev-rules", "apparmor",
  ]
}

/// The checks that a person selected.
public struct Selection: Equatable, Sendable {
  /// An identifier that no check has.
  public struct UnknownID: Error, Equatable, Sendable, CustomStringConvertible {
    public var id: String

    public init(id: String) { self.id = id }

    public var description: String { "no check \"\(id)\"; outrider doctor --list lists the checks" }
  }

  /// The checks to report; nil for all.
  private var only: Set<String>?
  private var skipped: Set<String> = []

  /// Selects all checks.
  public init() {}

  /// Reads the values of `--only` and `--skip`: identifiers with commas. Throws for an unknown one.
  public init(only: [String], skip: [String]) throws(UnknownID) {
    let selected = try Self.ids(only)
    self.only = only.isEmpty ? nil : Set(selected)
    skipped = Set(try Self.ids(skip))
  }

  public func contains(_ id: String) -> Bool { only?.contains(id) != false && !skipped.contains(id) }

  /// The groups of the selected checks and of their prerequisites: the facts that are required.
  public var groups: Set<CheckGroup> {
    var selected = Set(Catalogue.ids.filter(contains))
    // A prerequisite precedes its check in the catalogue.
    for check in Catalogue.checks.reversed() where selected.contains(check.id) {
      selected.formUnion(check.prerequisites)
    }
    return Set(Catalogue.checks.filter { selected.contains($0.id) }.map(\.group))
  }

  private static func ids(_ values: [String]) throws(UnknownID) -> [String] {
    var ids: [String] = []
    for value in values {
      for part in value.split(separator: ",", omittingEmptySubsequences: false) {
        let id = String(part.drop { $0 == " " })
        guard Catalogue.ids.contains(id) else { throw UnknownID(id: id) }
        ids.append(id)
      }
    }
    return ids
  }
}
