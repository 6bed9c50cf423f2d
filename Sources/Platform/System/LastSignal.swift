import CLinux
import Glibc

/// The signal that ended the program, recorded by its own signal handler.
///
/// A watchdog's SIGABRT and a crash are recorded. SIGKILL, an exhausted memory, a program that hangs in the
/// kernel and a power failure are not. The signal came from the supervisor if the sender is the parent
/// process, as with systemd; the supervisor's reason is not recorded.
public struct LastSignal: Equatable, Sendable {
  /// The sender of the signal; the raw values are stored.
  public enum Sender: Character, Sendable {
    /// A fault of the program itself, or its own abort(3).
    case fault = "f"
    case supervisor = "s"
    case other = "o"
  }

  public var number: Int32
  public var sender: Sender

  public init(_ number: Int32, from sender: Sender) {
    self.number = number
    self.sender = sender
  }

  /// Reads the first word of a file; nil if there is none.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 3, let sender = Sender(rawValue: Character(UnicodeScalar(bytes[0]))),
      let number = Int32(String(decoding: bytes[1..<3], as: UTF8.self)), number > 0
    else { return nil }
    self.init(number, from: sender)
  }

  static let fileName = "last-signal"
  private static let watched = [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS]

  /// Removes and returns the record of the previous run from its file in `directory`, and installs the
  /// handlers that record this program's signal there. If only the last component of `directory` is missing,
  /// it is created (0750). Nil if there is no record or the directory cannot be used.
  ///
  /// Call it once, before the program has a second thread. It may block for the file system only.
  public static func exchange(in directory: String) -> LastSignal? {
    mkdir(directory, 0o750)
    let path = directory + "/" + fileName
    let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_APPEND, 0o600)
    guard opened >= 0 else { return nil }
    let descriptor = Descriptor(owning: opened)
    var facts = stat()
    guard fstat(descriptor.raw, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    descriptor.giveToOwner(of: directory)
    // The handlers use it until the program ends.
    let file = descriptor.release()
    var bytes = [UInt8](repeating: 0, count: 3)
    let count = read(file, &bytes, bytes.count)
    if facts.st_size > 0 { ftruncate(file, 0) }
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for signal in watched {
      _ = outrider_expect_end(signal, file, getppid())
      sigaddset(&blocked, signal)
    }
    // The parent process may have blocked them, which is inherited.
    pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
    return LastSignal(Array(bytes.prefix(max(0, count))))
  }

  /// The name of the signal, as in `SIGSEGV`.
  public var name: String {
    switch number {
    case SIGABRT: "SIGABRT"
    case SIGSEGV: "SIGSEGV"
    case SIGBUS: "SIGBUS"
    case SIGILL: "SIGILL"
    case SIGFPE: "SIGFPE"
    case SIGTRAP: "SIGTRAP"
    case SIGSYS: "SIGSYS"
    default: "signal \(number)"
    }
  }
}
