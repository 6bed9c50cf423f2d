import Glibc
import System

/// A dialogue on standard input and standard output. Signals end it with the terminal's echo restored.
final class Terminal {
  /// The end of a dialogue before its last answer.
  enum Interruption: Error, Equatable {
    /// End of input (Ctrl-D).
    case endOfInput
    /// SIGINT (Ctrl-C) or another signal that ends a program.
    case signal(Int32)
  }

  /// The longest answer, in bytes.
  private static let longest = 4096

  private let signals: SignalDescriptor
  private var buffer: [UInt8] = []

  /// True if standard input and standard output are terminals.
  static var isPresent: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  init() throws(SystemError) { signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP, SIGQUIT]) }

  /// Prints a prompt and reads one line. A hidden one is not echoed.
  func ask(_ prompt: String, isHidden: Bool = false) throws(Interruption) -> String {
    var usual = termios()
    let hasEcho = isHidden && tcgetattr(STDIN_FILENO, &usual) == 0
    if hasEcho {
      var hidden = usual
      hidden.c_lflag &= ~tcflag_t(ECHO)
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    }
    defer {
      if hasEcho {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual)
        Console.print("")
      }
    }
    // After the echo is off, because a program may answer at once.
    Console.write(Array("\(prompt) ".utf8))
    return try line()
  }

  /// Asks a question that is answered by y or yes; everything else means no.
  func confirms(_ question: String) throws(Interruption) -> Bool {
    ["y", "yes"].contains(try ask("\(question) [y/N]").lowercased())
  }

  /// Throws if a signal has arrived, for example during a test.
  func check() throws(Interruption) {
    if let signal = signals.next() { throw .signal(signal) }
  }

  /// Waits; throws if a signal arrives meanwhile.
  func wait(milliseconds: Int32) throws(Interruption) {
    var waited = pollfd(fd: signals.raw, events: Int16(POLLIN), revents: 0)
    poll(&waited, 1, milliseconds)
    try check()
  }

  private func line() throws(Interruption) -> String {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = buffer[..<end]
        buffer = Array(buffer[(end + 1)...])
        return String(decoding: line, as: UTF8.self)
      }
      guard buffer.count < Self.longest else { throw .endOfInput }
      var waited = [
        pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signals.raw, events: Int16(POLLIN), revents: 0),
      ]
      poll(&waited, nfds_t(waited.count), -1)
      try check()
      guard waited[0].revents != 0 else { continue }
      var chunk = [UInt8](repeating: 0, count: 1024)
      let count = read(STDIN_FILENO, &chunk, chunk.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { throw .endOfInput }
      buffer += chunk[..<count]
    }
  }
}
