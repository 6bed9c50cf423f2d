/// Reads the arguments of the process unchanged.
///
/// `CommandLine.arguments` replaces bytes that are not UTF-8, which silently changes the meaning of an argument.
enum CommandLineWords {
  /// An argument that is not UTF-8.
  struct NotUTF8: Error, CustomStringConvertible {
    /// The argument, with U+FFFD instead of invalid bytes.
    var repairedText: String
    var description: String { "argument \"\(repairedText)\" is not valid UTF-8; encode it as UTF-8" }
  }

  static func read() throws(NotUTF8) -> [String] {
    var words: [String] = []
    for index in 0..<Int(CommandLine.argc) {
      guard let bytes = CommandLine.unsafeArgv[index] else { continue }
      guard let word = String(validatingCString: bytes) else {
        throw NotUTF8(repairedText: String(cString: bytes))
      }
      words.append(word)
    }
    return words
  }
}
