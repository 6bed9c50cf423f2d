import CLinux
import Glibc

/// The signal that ended a program, as the program wrote it down in its last moment.
///
/// A watchdog's SIGABRT and a crash leave a word; SIGKILL, a machine without memory, a program that is stuck in the kernel
/// and a power cut leave none. That a supervisor sent the signal is known by the sender being the parent process, as with
/// systemd; why it did is not.
public struct LastSignal: Equatable, Sendable {
  public enum Sender: Character, Sendable {
    /// The program's own fault, or its own abort(3).
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

  /// The first word of a file; nil where it holds none.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 3, let sender = Sender(rawValue: Character(UnicodeScalar(bytes[0]))),
      let number = Int32(String(decoding: bytes[1..<3], as: UTF8.self)), number > 0
    else { return nil }
    self.init(number, from: sender)
  }

  static let fileName = "last-signal"
  private static let watched = [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS]

  /// Takes the word of the run before out of its file in `directory`, which is made (0750) where only its last part is missing,
  /// and has this program leave its own there. Nil where there is none, or the directory cannot be used.
  ///
  /// Once in a program, before it has a second thread; nothing is waited for but the file system.
  public static func exchange(in directory: String) -> LastSignal? {
    mkdir(directory, 0o750)
    let path = directory + "/" + fileName
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_APPEND, 0o600)
    guard file >= 0 else { return nil }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(file)
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: 3)
    let count = read(file, &bytes, bytes.count)
    if facts.st_size > 0 { ftruncate(file, 0) }
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for signal in watched {
      _ = outrider_expect_end(signal, file, getppid())
      sigaddset(&blocked, signal)
    }
    // Whoever started the program may have blocked them, and that is inherited.
    pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
    return LastSignal(Array(bytes.prefix(max(0, count))))
  }

  /// `SIGSEGV`.
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
