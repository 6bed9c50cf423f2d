import Glibc
import System

/// Writes to the standard streams.
enum Console {
  /// Prints a line of the server, which does not wait: the line is dropped if the reader of the stream does not accept it.
  static func print(_ line: String) { write(line, to: .standardOutput) }

  /// Prints a line to standard error, after the name of the program.
  static func complain(_ line: String) { write("outrider-collector: \(line)", to: .standardError) }

  /// Prints the result of a command whole, and waits for its reader. Throws if writing fails; a reader that has seen enough
  /// and closed is no failure.
  static func printResult(_ text: String) throws(SystemError) {
    guard let number = StandardStreams.write(Array("\(text)\n".utf8), to: STDOUT_FILENO), number != EPIPE
    else { return }
    throw SystemError(call: "write", subject: "standard output", number: number)
  }

  private static func write(_ line: String, to stream: UnblockedStream) {
    _ = stream.write(Array("\(line)\n".utf8)) { count in "outrider-collector: \(count) lines dropped\n" }
  }
}
