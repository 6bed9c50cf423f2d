import Foundation

/// The recordings that are not part of the repository: the folder in `OUTRIDER_SHARED`, or `../shared` beside
/// the package.
public enum SharedRecordings {
  public static let folder: URL? = {
    let environment = ProcessInfo.processInfo.environment["OUTRIDER_SHARED"]
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let candidates =
      environment.map { [URL(fileURLWithPath: $0)] }
      ?? [package.deletingLastPathComponent().appendingPathComponent("shared")]
    return candidates.first { FileManager.default.fileExists(atPath: $0.path) }
  }()

  public static var arePresent: Bool { folder != nil }

  /// A file of the folder, decompressed if its name ends in `.gz`.
  public static func contents(of path: String) throws -> Data {
    guard let folder else { throw CocoaError(.fileNoSuchFile) }
    let file = folder.appendingPathComponent(path)
    guard file.pathExtension == "gz" else { return try Data(contentsOf: file) }
    let unpacking = Process()
    unpacking.executableURL = URL(fileURLWithPath: "/usr/bin/gunzip")
    unpacking.arguments = ["-c", file.path]
    let output = Pipe()
    unpacking.standardOutput = output
    try unpacking.run()
    let contents = output.fileHandleForReading.readDataToEndOfFile()
    unpacking.waitUntilExit()
    return contents
  }

  public static func exists(_ path: String) -> Bool {
    guard let folder else { return false }
    return FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path)
  }
}
