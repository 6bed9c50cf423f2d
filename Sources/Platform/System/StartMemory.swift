import CLinux
import Glibc

/// The memory that is needed only during the start of the program.
public enum StartMemory {
  /// Returns it to the kernel: mapped pages of code (`/proc/self/maps` in proc(5), MADV_DONTNEED in
  /// madvise(2)), which are reloaded from the page cache if still needed, and free heap memory
  /// (malloc_trim(3)). Call it once, after the start.
  public static func giveBack() {
    malloc_trim(0)
    guard let maps = try? FileBytes.read("/proc/self/maps", limit: 1 << 20) else { return }
    for line in maps.split(separator: UInt8(ascii: "\n")) {
      guard let code = unwritableCode(of: line) else { continue }
      madvise(UnsafeMutableRawPointer(bitPattern: code.lowerBound), code.count, MADV_DONTNEED)
    }
  }

  /// The address range if a line of `maps` maps a file's code; nil otherwise. Pages that the process may have
  /// written to are never code: the linker's own changes are in segments that are not executable.
  static func unwritableCode(of line: some Collection<UInt8>) -> Range<UInt>? {
    let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true)
    guard fields.count >= 6, fields[1].elementsEqual("r-xp".utf8), fields[5].first == UInt8(ascii: "/") else {
      return nil
    }
    let bounds = fields[0].split(separator: UInt8(ascii: "-"))
    guard bounds.count == 2,
      let start = UInt(String(decoding: bounds[0], as: UTF8.self), radix: 16),
      let end = UInt(String(decoding: bounds[1], as: UTF8.self), radix: 16), start > 0, start < end
    else { return nil }
    return start..<end
  }
}
