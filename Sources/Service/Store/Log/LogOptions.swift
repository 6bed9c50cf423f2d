import Quantities
import Records

/// The parameters with which a log is opened.
public struct LogOptions: Sendable {
  /// Id of the boot, from `/proc/sys/kernel/random/boot_id`. A restart within one boot keeps its number and its time.
  public var bootID: String
  /// The boot clock; stamps the events that the log itself writes.
  public var clock: @Sendable () -> Moment
  /// The unreadable part of the existing settings file; it has to be saved before the file is replaced.
  public var unreadSettings = SettingsFile.Remains.nothing

  public init(bootID: String, clock: @escaping @Sendable () -> Moment) {
    self.bootID = bootID
    self.clock = clock
  }
}

/// The state in which a log was found when it was opened.
public struct OpeningReport: Equatable, Sendable {
  /// The condition of the log.
  public enum Condition: Equatable, Sendable {
    /// A new log was created, because there was none.
    case created
    /// The log had been closed.
    case clean
    /// The log had not been closed, and is intact.
    case unclean
    /// The log was damaged or lost; its readable records were copied into a new one.
    case salvaged(SalvageReport)
  }

  public var condition: Condition
  /// The number of the current boot.
  public var boot: Int64
  /// UTC minus boot clock in ms, if an earlier process of this boot determined it.
  public var bootOffset: Int64?
  /// The highest id assigned so far.
  public var lastID: RecordID
  public var newestLocation: StoredRecord?
  /// The time of the last record that has one, among the last 1,000.
  public var lastTime: Timestamp?
  /// The texts that the previous run saved for this start.
  public var savedStates: [SavedStateKey: String] = [:]
  /// The name of the file system if its files do not survive a power cut; else nil.
  public var volatileFileSystem: String?
  /// The message about records lost with a truncated or missing write-ahead log, with their upper bound; nil for none.
  /// The log stores it as an event, too.
  public var loss: String?
}

/// The result of a salvage.
public struct SalvageReport: Equatable, Sendable {
  /// The reason for the salvage.
  public var cause: String
  /// New path of the damaged file, empty if there is none; its `-wal` and `-shm` are renamed alike.
  public var setAside: String
  /// Number of records copied.
  public var records: Int64
  /// Number of ids that are lost and were not in a known gap.
  public var missing: Int64
  /// The reason why the damaged file could not be read completely; nil if it could.
  public var interruption: String?
  /// Number of copied records that got a new id because theirs was out of range.
  public var renumbered: Int64 = 0
  /// True if the file was damaged; false if it was intact, but had been deleted or replaced.
  public var isDamage = true
}
