import Settings

/// The device around the set-up: its files, its identity and the other parts of the program. Paths are absolute, below an
/// injectable root.
public protocol ProvisioningSystem {
  /// The names in a directory; empty if it does not exist.
  func names(in directory: String) -> [String]
  /// Reads a regular file of at most `limit` bytes.
  func read(_ path: String, limit: Int) throws(FileFault) -> [UInt8]
  mutating func perform(_ step: FileStep) throws(FileFault)
  var identity: HostIdentity { get }
  var mounts: MountTable { get }
  /// The boards and serial ports.
  var hardware: SetupFacts { get }
  /// The present time in UTC, as ISO 8601.
  var time: String { get }
  /// The SHA-256 of a text, in hexadecimal digits.
  func digest(_ bytes: [UInt8]) -> String
  /// Validates a configuration as `outrider set --list --config` does. `target` is the path that it is for, to which the
  /// path of a board file is relative. Returns the warnings.
  func check(_ file: SourceText, for target: String) throws(InvalidConfiguration) -> [String]
  /// Applies a setup URL as `outrider setup URL` does. With `isNew`, the configuration at `target` was just written from
  /// the same URL. Returns the changes, one line each, without secrets.
  mutating func apply(_ url: SetupURL, to target: String, isNew: Bool) throws(InvalidConfiguration)
    -> [String]
  /// Downloads a configuration of at most `limit` bytes; bounded in time.
  mutating func download(_ address: Endpoint, limit: Int) -> Download
  /// Sets up a board (`outrider boards NAME --apply`).
  mutating func setUpBoard(_ name: String) -> BoardOutcome
  /// Reports a line to the journal.
  func report(_ line: String)
}

/// The errors of a configuration, one line each.
public struct InvalidConfiguration: Error, Equatable, Sendable {
  public var lines: [String]

  public init(_ lines: [String]) { self.lines = lines }
}

/// The result of a download.
public enum Download: Equatable, Sendable {
  case content([UInt8])
  /// A response with another status than 200.
  case rejected(status: Int)
  case tooLarge
  /// No response, for lack of network or because of TLS.
  case unreachable(reason: String)
}

/// The result of setting up a board.
public enum BoardOutcome: Equatable, Sendable {
  /// The text is a line for the journal.
  case done(String)
  /// The reason and the remedy, as one line.
  case failed(String)
}
