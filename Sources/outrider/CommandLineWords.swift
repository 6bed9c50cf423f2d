/// The words of the command line as they were given: `CommandLine.arguments` mends what is no UTF-8, and what was meant
/// would silently become something else.
enum CommandLineWords {
  struct NotUTF8: Error, CustomStringConvertible {
    /// The word, with U+FFFD where it is no UTF-8.
    var mended: String
    var description: String { "\"\(mended)\" is not UTF-8; give it in that encoding" }
  }

  static func read() throws(NotUTF8) -> [String] {
    var words: [String] = []
    for index in 0..<Int(CommandLine.argc) {
      guard let bytes = CommandLine.unsafeArgv[index] else { continue }
      guard let word = String(validatingCString: bytes) else {
        throw NotUTF8(mended: String(cString: bytes))
      }
      words.append(word)
    }
    return words
  }
}
