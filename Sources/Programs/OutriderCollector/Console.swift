import Glibc
import System

/// Writes to the standard streams. Lines that the reader of a stream does not accept are dropped.
enum Console {
  static func print(_ line: String) { write(line, to: .standardOutput) }

  /// Prints a line to standard error, after the name of the program.
  static func complain(_ line: String) { write("outrider-collector: \(line)", to: .standardError) }

  private static func write(_ line: String, to stream: UnblockedStream) {
    _ = stream.write(Array("\(line)\n".utf8)) { count in "outrider-collector: \(count) lines dropped\n" }
  }
}
