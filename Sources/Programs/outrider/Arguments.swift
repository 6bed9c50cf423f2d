import Glibc

/// A parsed command line: operands, and the options and flags that a command declares.
///
/// `--name VALUE` and `--name=VALUE` are options, `--name` alone is a flag; all other words are operands. `--` ends the
/// options. A single `-` is an operand.
struct Arguments {
  /// A wrong command line, with the message for standard error.
  struct Misuse: Error {
    var message: String
  }

  private(set) var operands: [String] = []
  private var options: [String: [String]] = [:]
  private var flags: Set<String> = []

  /// Parses words with the options of a command. Throws if a word that begins with `-` is none of them.
  init(_ words: ArraySlice<String>, _ description: CommandDescription) throws {
    let (values, flags) = (
      description.options.filter { $0.placeholder != nil },
      description.options.filter { $0.placeholder == nil }
    )
    try self.init(words, options: values.flatMap(\.names), flags: flags.flatMap(\.names))
  }

  /// Parses words. Throws if a word that begins with `-` is declared neither as an option nor as a flag.
  init(_ words: ArraySlice<String>, options declared: [String], flags declaredFlags: [String]) throws {
    var remainder = words
    while let word = remainder.popFirst() {
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      if word == "--" {
        operands += remainder
        return
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = parts[0]
      if declared.contains(name) {
        let isNextAnOption = remainder.first.map { (declared + declaredFlags).contains($0) } ?? false
        guard let value = parts.count > 1 ? parts[1] : isNextAnOption ? nil : remainder.popFirst() else {
          throw Misuse(message: "\(name) requires a value")
        }
        options[name, default: []].append(value)
      } else if declaredFlags.contains(name) {
        guard parts.count == 1 else { throw Misuse(message: "\(name) takes no value") }
        flags.insert(name)
      } else {
        let known = (declared + declaredFlags).sorted().joined(separator: ", ")
        throw Misuse(message: "unknown option \(name); available: \(known)")
      }
    }
  }

  /// The last value given for an option.
  func value(_ name: String) -> String? { options[name]?.last }
  /// All values given for an option, in order.
  func values(_ name: String) -> [String] { options[name] ?? [] }
  func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// The directory of `--root`; nil without the option. Throws ``Misuse`` if it is no directory: an empty variable in a
  /// script must not select the running system.
  func root() throws -> String? {
    guard var root = value("--root") else { return nil }
    var status = stat()
    guard !root.isEmpty, stat(root, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw Misuse(message: "--root: \"\(root)\" is not a directory")
    }
    while root.hasSuffix("/") { root.removeLast() }
    return root
  }

  /// Checks the number of operands. Throws if there are more than `most`.
  func checkOperands(atMost most: Int) throws {
    guard operands.count > most else { return }
    // The query of a setup URL has a token.
    let shown = operands[most].prefix { $0 != "?" }
    throw Misuse(message: "unexpected argument \"\(shown)\(shown.count < operands[most].count ? "?…" : "")\"")
  }
}
