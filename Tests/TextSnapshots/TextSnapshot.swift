import Foundation
import Glibc

/// The expected texts of one area of the program, stored in the file `Tests/Texts/<area>.txt`.
///
/// A test compares a text with its entry: `#expect(text == texts.expected("rejected token", text))`. After rewording,
/// `OUTRIDER_RENEW_TEXTS=1 scripts/run-tests` writes the new texts, and the change is one diff of that file.
///
/// The file holds the entries in alphabetical order: a line `== name ==`, then the text.
public struct TextSnapshot: Sendable {
  private let path: String
  private let isRenewed: Bool

  /// Opens the texts of an area, which is the name of the file in `Tests/Texts` without its extension.
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

  /// Returns the entry `name`, or a message if the file has none. While texts are renewed, it stores and returns `text`.
  public func expected(_ name: String, _ text: String) -> String {
    guard isRenewed else { return self[name] }
    Self.lock.withLock {
      let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
      try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // Several test programs may run at the same time.
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

  /// The entry `name`, for a test that searches other output for it; a message if the file has none.
  public subscript(name: String) -> String {
    Self.lock.withLock { read()[name] ?? "no entry '\(name)' in \(path)" }
  }

  // MARK: The file

  /// Guards the file, because tests of one process run in parallel.
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
