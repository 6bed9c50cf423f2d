import Foundation

/// A temporary directory for one test, removed at its end.
final class Scratch {
  let url: URL
  private var number = 0

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("outrider-\(UInt64.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  func nextNumber() -> Int {
    number += 1
    return number
  }

  /// Writes a text file and returns its path.
  func write(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    return path(name)
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }
}
