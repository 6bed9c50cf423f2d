import Inspection
import Medium
import Testing

/// What the storage medium and its file system report.
@Suite struct MediumReportTests {
  private static let file = "/sys/fs/ext4/mmcblk0p2/lifetime_write_kbytes"

  @Test func wearAndLifetimeWritesAreThoseOfTheLogsFileSystem() throws {
    let tree = try SampleTree.zero2W()
    let report = MediumReport(FileTree(root: tree.root), directory: "/var/lib/outrider")
    #expect(
      report
        == MediumReport(
          disk: "mmcblk0", wear: MediumWear(lifeTime: 9, endOfLife: 1), lifetimeBytes: 73_400_320 * 1024))
  }

  /// (directory, changed files, disk, bytes)
  static let cases: [(String, [String: String], String?, Int64?)] = [
    ("/run/outrider", [:], nil, nil),
    ("/boot/firmware", [:], nil, nil),
    ("/var/lib/outrider", [file: ""], "mmcblk0", nil),
    ("/var/lib/outrider", [file: "-1"], "mmcblk0", nil),
    ("/var/lib/outrider", [file: "9223372036854775807"], "mmcblk0", nil),
    ("/var/lib/outrider", [file: "twelve"], "mmcblk0", nil),
    ("/var/lib/outrider", ["/proc/self/mountinfo": ""], nil, nil),
    (
      "/data/log",
      [
        "/proc/self/mountinfo": "40 1 179:2 / /data rw - f2fs /dev/mmcblk0p2 rw\n",
        "/sys/fs/f2fs/mmcblk0p2/lifetime_write_kbytes": "5\n",
      ], "mmcblk0", 5120
    ),
  ]

  @Test(arguments: cases.indices)
  func missingAndDamagedCountsAreUnknown(index: Int) throws {
    let (directory, files, disk, bytes) = Self.cases[index]
    let tree = try SampleTree.zero2W()
    for (path, text) in files { try tree.write(path, .init(text.utf8)) }
    let report = MediumReport(FileTree(root: tree.root), directory: directory)
    #expect(report.disk == disk)
    #expect(report.lifetimeBytes == bytes)
  }
}
