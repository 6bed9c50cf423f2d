import Quantities
import Records

/// What a log needs to know when it is opened.
public struct LogOptions: Sendable {
  /// `/proc/sys/kernel/random/boot_id`: a restart within one boot goes on with its number and its date.
  public var bootID: String
  /// The boot-time clock; dates the events that the log itself writes.
  public var clock: @Sendable () -> Moment
  /// What of the file of settings that lies there could not be read and not be set aside yet: nothing takes its place before
  /// it is.
  public var unreadSettings = SettingsFile.Remains.nothing

  public init(bootID: String, clock: @escaping @Sendable () -> Moment) {
    self.bootID = bootID
    self.clock = clock
  }
}

/// In what state a log was found.
public struct OpeningReport: Equatable, Sendable {
  public enum Condition: Equatable, Sendable {
    /// There was none.
    case created
    /// It had been left in good order.
    case clean
    /// It had not been closed, and is whole.
    case unclean
    /// It was damaged: set aside, and what could be read was carried over.
    case salvaged(SalvageReport)
  }

  public var condition: Condition
  /// The number of the running boot.
  public var boot: Int64
  /// UTC minus moment in ms, when an earlier process of this boot learned it.
  public var bootOffset: Int64?
  /// The highest id given so far.
  public var lastID: RecordID
  public var newestLocation: StoredRecord?
  /// What was kept for this start.
  public var notes: [NoteKey: String] = [:]
  /// The file system, where its files do not outlive a power cut.
  public var volatileFileSystem: String?
  /// What is known of records that a cut or missing write-ahead log has cost, with their bound; also in the log, as an
  /// event. Nil for nothing.
  public var loss: String?
}

/// What became of a damaged log.
public struct SalvageReport: Equatable, Sendable {
  /// What was found wrong.
  public var cause: String
  /// Path of the file set aside, empty where there is none; its `-wal` and `-shm` have the same name in front.
  public var setAside: String
  /// Records carried over.
  public var records: Int64
  /// Ids that are lost and were not known to be.
  public var missing: Int64
  /// Why the damaged file could not be read to its end; nil when it could.
  public var interruption: String?
  /// Records carried over whose number no logger gives; they have new ones.
  public var renumbered: Int64 = 0
  /// False where the file was sound, and its name was lost.
  public var isDamage = true
}
