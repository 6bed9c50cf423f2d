import Foundation
import Quantities
import Testing

@testable import Collector

@Suite struct RawArchiveTests {
  private let directory = NSTemporaryDirectory() + "outrider-raw-\(UUID().uuidString)"
  private let noon = Timestamp(milliseconds: 1_772_360_102_250)

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
  }

  @Test func aBodyIsNamedByItsTimeAndNamesAreUnique() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var archive = try RawArchive(directory: directory, limits: .init())
    let body = Array("{\"locations\":[]}".utf8)
    #expect(try archive.keep(body, at: noon) == "20260301T101502.250Z-0000.json")
    #expect(try archive.keep([], at: noon) == "20260301T101502.250Z-0001.json")
    #expect(FileManager.default.contents(atPath: "\(directory)/20260301T101502.250Z-0000.json") == Data(body))
    #expect(try names().count == 2)
  }

  @Test func oldBodiesAreDeletedWhenANewOneArrives() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var archive = try RawArchive(directory: directory, limits: .init())
    for day in 0..<10 { _ = try archive.keep([1], at: noon + .seconds(86_400 * day)) }
    #expect(try names().count == 8)
    #expect(try names().first?.hasPrefix("20260303") == true)
  }

  @Test func theSizeIsLimitedAcrossARestartAndOtherFilesAreKept() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let limits = RawArchive.Limits(bytes: 1000, deletionsAtOnce: 2)
    var archive = try RawArchive(directory: directory, limits: .init())
    for second in 0..<20 {
      _ = try archive.keep([UInt8](repeating: 1, count: 100), at: noon + .seconds(second))
    }
    try Data("mine".utf8).write(to: URL(fileURLWithPath: directory + "/0-notes.txt"))
    archive = try RawArchive(directory: directory, limits: limits)
    var counts: [Int] = []
    for second in 20..<34 {
      _ = try archive.keep([UInt8](repeating: 1, count: 100), at: noon + .seconds(second))
      counts.append(try names().count - 1)
    }
    // Two are deleted for every new one, until the size is within the limit.
    #expect(counts == [19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 10, 10, 10, 10])
    #expect(try names().contains("0-notes.txt"))
  }

  @Test func theNumberOfFilesIsLimited() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var archive = try RawArchive(directory: directory, limits: .init(files: 5))
    for second in 0..<20 { _ = try archive.keep([], at: noon + .seconds(second)) }
    #expect(try names().count == 5)
  }
}
