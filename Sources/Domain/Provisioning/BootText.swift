/// The text of a file from the boot partition, in UTF-8 without a byte order mark.
struct BootText: Equatable {
  var bytes: [UInt8]

  /// Checks the encoding. Editors of Windows write UTF-8 with a byte order mark, which is removed, or UTF-16. Bytes that
  /// are not UTF-8 are left to the parser, which reports their line.
  init(_ content: [UInt8], path: String) throws(BootFault) {
    if content.starts(with: [0xFF, 0xFE]) || content.starts(with: [0xFE, 0xFF]) { throw .utf16(path: path) }
    bytes = content.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(content.dropFirst(3)) : content
    if let offset = bytes.firstIndex(of: 0) {
      // ASCII in UTF-16 has a NUL in every second byte.
      let zeros = bytes.count { $0 == 0 }
      let hasPattern = offset < 2 && zeros * 3 > bytes.count && zeros * 3 < bytes.count * 2
      throw hasPattern ? .utf16(path: path) : .binary(path: path, offset: offset)
    }
    guard bytes.contains(where: { $0 > 0x20 }) else { throw .empty(path: path) }
  }
}
