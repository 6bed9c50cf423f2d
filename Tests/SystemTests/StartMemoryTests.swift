import Foundation
import Testing
@testable import System

@Suite struct StartMemoryTests {
  /// Kilobytes of unwritten file pages that are resident, from smaps_rollup in proc(5).
  private func residentFilePages() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
    var figures: [String: Int] = [:]
    for line in text.split(separator: "\n").dropFirst() {
      let fields = line.split(whereSeparator: { $0 == " " || $0 == ":" })
      guard fields.count > 1 else { continue }
      figures[String(fields[0])] = Int(fields[1])
    }
    let resident: Int = try #require(figures["Rss"])
    let anonymous: Int = try #require(figures["Anonymous"])
    return resident - anonymous
  }

  @Test func codeThatOnlyTheStartNeededIsNoLongerResident() throws {
    let before = try residentFilePages()
    StartMemory.giveBack()
    let after = try residentFilePages()
    #expect(after < before)
  }

  @Test(arguments: [
    ("55d0c8a00000-55d0c9400000 r-xp 00401000 fe:00 131 /usr/bin/outrider", 0x55d0_c8a0_0000, 0xa0_0000),
    ("7f00-7f10 r-xp 0 fe:00 1 /a path/with spaces", 0x7f00, 0x10),
  ])
  func codeOfFilesIsFound(_ line: String, _ start: UInt, _ length: Int) {
    let code = StartMemory.unwritableCode(of: Array(line.utf8))
    #expect(code?.lowerBound == start)
    #expect(code?.count == length)
  }

  @Test(arguments: [
    "55d0c8a00000-55d0c9400000 r--p 00401000 fe:00 131 /usr/bin/outrider",
    "55d0c8a00000-55d0c9400000 rwxp 00401000 fe:00 131 /usr/bin/outrider",
    "7ffd1000-7ffd3000 r-xp 00000000 00:00 0 [vdso]",
    "7ffd1000-7ffd3000 r-xp 00000000 00:00 0",
    "7ffd3000-7ffd1000 r-xp 00000000 fe:00 131 /usr/bin/outrider",
    "0-1000 r-xp 00000000 fe:00 131 /usr/bin/outrider",
    "nonsense r-xp 00000000 fe:00 131 /usr/bin/outrider", "",
  ])
  func everythingElseIsLeftAlone(_ line: String) {
    #expect(StartMemory.unwritableCode(of: Array(line.utf8)) == nil)
  }
}
