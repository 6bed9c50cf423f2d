/// The settings of the log (`storage`).
public struct StorageSettings: Equatable, Sendable {
  public var directory: String = Schema.directory.fallback
  /// Interval of commits; zero commits every record.
  public var commitInterval: Duration = Schema.commitInterval.fallback
  /// Age at which records are deleted; nil for no limit.
  public var retention: Duration? = Schema.retention.fallback
  public var limitBytes: Int64 = Schema.limit.fallback
  /// The endurance that the maker of the medium states; nil if unknown.
  public var enduranceBytes: Int64? = Schema.endurance.fallback
  public var allowsVolatile: Bool = Schema.allowVolatile.fallback

  public init() {}
}

extension Schema {
  static let directory = Of<String>(
    "storage.directory", \.storage.directory, .path, default: "/var/lib/outrider", applies: .afterRestart,
    effect: .always,
    "Directory of the log.")
  static let commitInterval = Of<Duration>(
    "storage.commit_interval", \.storage.commitInterval, .duration(.zero ... .seconds(600)),
    default: .seconds(10), applies: .atOnce, effect: .always,
    "Longest time until a record is durable. \"0s\" commits every record. Every commit writes some "
      + "kilobytes, which wears the storage medium.")
  static let retention = Of<Duration?>(
    "storage.retention", \.storage.retention, .offOr(.duration(.seconds(3600) ... .days(3650))),
    default: .days(30), applies: .atOnce, effect: .always,
    "Age at which records are removed from the log. Off keeps them for ever.")
  static let limit = Of<Int64>(
    "storage.limit", \.storage.limitBytes, .bytes(atLeast: 1_000_000), default: 512_000_000, applies: .atOnce,
    effect: .always,
    "Largest size of the log.")
  static let endurance = Of<Int64?>(
    "storage.endurance", \.storage.enduranceBytes, .optional(.bytes(atLeast: 1_000_000_000)), default: nil,
    applies: .atOnce, effect: .always,
    "Bytes that the storage medium can be written with, by its maker (TBW). With it, outrider status shows how long "
      + "the medium lasts, and the event storage_wearing reports 80 % and 90 %.")
  static let allowVolatile = Of<Bool>(
    "storage.allow_volatile", \.storage.allowsVolatile, .boolean, default: false, applies: .afterRestart,
    effect: .always,
    "Allows a log in memory, where a power cut destroys it.")
}

extension StorageSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.directory, Schema.commitInterval, Schema.retention, Schema.limit, Schema.endurance,
    Schema.allowVolatile,
  ]
}
