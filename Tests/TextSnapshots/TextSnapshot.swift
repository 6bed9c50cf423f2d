import Foundation
import Glibc

/// The expected texts of one area of the program, in one file: `Tests/Texts/<area>.txt`.
///
/// A test compares a text with its entry: `#expect(text == texts.expected("refused token", text))`. After rewording,
/// `OUTRIDER_RENEW_TEXTS=1 scripts/run-tests` writes the new texts, and the change is one diff of that file.
///
/// The file holds the entries in alphabetical order: a line `== name ==`, then the text.
public struct TextSnapshot: Sendable {
  private let path: String
  private let isRenewed: Bool

  /// - Parameter area: name of the file in `Tests/Texts`, without its extension.
  public init(_ area: String) {
    let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    self.init(
      path: "/\(tests)/Texts/\(area).txt",
      isRenewed: ProcessInfo.processInfo.environment["OUTRIDER_RENEW_TEXTS"] == "1")
  }

  init(path: String, isRenewed: Bool) {
    self.path = path
    self.isRenewed = isRenewed
  }

  /// The entry `name`; a text that says so if the file has none. While texts are renewed it is `text`, which is stored.
  public func expected(_ name: String, _ text: String) -> String {
    guard isRenewed else { return self[name] }
    Self.lock.withLock {
      let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
      try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // Several test programs may run side by side.
      let directory = open(folder, O_RDONLY)
      defer { close(directory) }
      flock(directory, LOCK_EX)
      var entries = read()
      guard entries[name] != text else { return }
      entries[name] = text
      write(entries)
    }
    return text
  }

  /// The entry `name`, for a test that looks for it in other output; a text that says so if the file has none.
  public subscript(name: String) -> String {
    Self.lock.withLock { read()[name] ?? "no entry '\(name)' in \(path)" }
  }

  // MARK: The file

  /// Tests run side by side in one process.
  private static let lock = NSLock()

  private func read() -> [String: String] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [:] }
    var entries: [String: [Substring]] = [:]
    var name: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line.hasPrefix("== "), line.hasSuffix(" =="), line.count > 5 {
        name = String(line.dropFirst(3).dropLast(3))
        entries[name ?? ""] = []
      } else if let name {
        entries[name, default: []].append(line)
      }
    }
    return entries.mapValues { $0.joined(separator: "\n") }
  }

  private func write(_ entries: [String: String]) {
    let text = entries.sorted { $0.key < $1.key }.map { "== \($0.key) ==\n\($0.value)\n" }.joined()
    try? text.write(toFile: path, atomically: true, encoding: .utf8)
  }
}
