/// The state file: what the set-up of a board has written, so that it can be undone.
///
/// It is written before the files. It names files by kind, never by path.
public struct SetupRecord: Equatable, Sendable {
  public var board: String
  /// False from the first to the last step of a change; true if all steps were done.
  public var isComplete: Bool
  public var files: [SetupFile: Entry]
  /// The services that were switched off.
  public var services: [String]

  public init(board: String, isComplete: Bool, files: [SetupFile: Entry], services: [String]) {
    self.board = board
    self.isComplete = isComplete
    self.files = files
    self.services = services
  }

  /// One file before and after.
  public struct Entry: Equatable, Sendable, Codable {
    /// Digest of the bytes before the first set-up. The copy beside the file has these bytes.
    public var before: String
    /// Digests of the bytes that were written, the newest last.
    public var written: [String]

    public init(before: String, written: [String]) { (self.before, self.written) = (before, written) }
  }

  /// The digest of a file that does not exist.
  public static let absent = "absent"

  public func entry(of file: SetupFile) -> Entry? { files[file] }
}

/// The content of the state file.
public enum SetupMemory: Equatable, Sendable {
  case none
  case record(SetupRecord)
  /// The state file exists, but cannot be read.
  case damaged

  public var record: SetupRecord? { if case .record(let record) = self { record } else { nil } }
}

/// Computes the digest of a file's bytes.
public struct Digesting: Sendable {
  private let digest: @Sendable ([UInt8]) -> String

  public init(_ digest: @escaping @Sendable ([UInt8]) -> String) { self.digest = digest }

  func callAsFunction(_ bytes: [UInt8]?) -> String { bytes.map(digest) ?? SetupRecord.absent }
}

/// One step of a change. The order makes an interruption after any step harmless.
public enum SetupStep: Equatable, Sendable {
  /// Writes the state file; nil removes it.
  case record(SetupRecord?)
  /// Writes the copy of a file; nil removes it.
  case copy(SetupFile, path: String, bytes: [UInt8]?)
  case change(FileChange)
  case run(SystemCommand)
}
