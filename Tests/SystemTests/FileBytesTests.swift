import Foundation
import System
import Testing

/// Reading of whole small files.
struct FileBytesTests {
  /// An attribute of sysfs reports the size of a page and holds a few bytes.
  @Test(.enabled(if: access("/sys/kernel/uevent_seqnum", R_OK) == 0, "no /sys/kernel here"))
  func anAttributeOfTheKernelIsReadWhateverSizeItReports() throws {
    let bytes = try FileBytes.read("/sys/kernel/uevent_seqnum", limit: 64)
    #expect(bytes.last == UInt8(ascii: "\n"))
    #expect(bytes.dropLast().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
  }

  @Test func aFileLargerThanTheLimitIsAnError() throws {
    let path = NSTemporaryDirectory() + "outrider-file-bytes-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(repeating: 7, count: 65).write(to: URL(fileURLWithPath: path))
    #expect(try FileBytes.read(path, limit: 65).count == 65)
    #expect(throws: FileFailure.system(SystemError(call: "read", subject: path, number: EFBIG))) {
      try FileBytes.read(path, limit: 64)
    }
  }
}
