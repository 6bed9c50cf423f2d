/// The header of an SQLite database (https://www.sqlite.org/fileformat2.html, section 1.3).
struct DatabaseHeader {
  static let size = 100

  /// Page size in bytes.
  let pageSize: Int
  /// Number of pages of the file; nil if the last writer did not update it.
  let pages: Int?

  /// Parses the first ``size`` bytes of a file; nil for bytes that no version of SQLite writes.
  ///
  /// If the format version (byte 18) is wrong, SQLite opens the file read-only and reports an I/O error.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.size, bytes.starts(with: Array("SQLite format 3\0".utf8)),
      (1...2).contains(bytes[18]), (1...2).contains(bytes[19]), bytes[21...23].elementsEqual([64, 32, 32])
    else { return nil }
    func number(_ offset: Int, _ length: Int) -> Int {
      bytes[offset..<(offset + length)].reduce(0) { $0 << 8 | Int($1) }
    }
    let size = number(16, 2)
    pageSize = size == 1 ? 65_536 : size
    guard pageSize >= 512, pageSize & (pageSize - 1) == 0 else { return nil }
    pages = number(24, 4) == number(92, 4) && number(28, 4) > 0 ? number(28, 4) : nil
  }

  /// The message about missing pages in a file of `size` bytes; nil if it is complete.
  func lack(in size: Int) -> String? {
    guard let pages, size / pageSize < pages else { return nil }
    return
      "the file is truncated: it has \(size / pageSize) of its \(pages) pages, and an unknown number of records is lost"
  }
}
