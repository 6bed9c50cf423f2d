import Database

/// Reads leaf pages of table b-trees without SQLite, and without trusting their content
/// (sqlite.org/fileformat2.html, section 1.6).
enum LeafPage {
  private static let leafOfTable: UInt8 = 0x0D
  /// Limit of the number of columns; no row of the log has as many.
  private static let mostColumns = 64

  /// Calls `body` with the rowid and the columns of every row that can be parsed.
  ///
  /// A column that is an alias of the rowid is stored as null. The checksums of the rows are not verified here.
  static func rows(in page: [UInt8], isFirstOfFile: Bool, _ body: (Int64, [ColumnValue]) throws -> Void)
    rethrows
  {
    // The first page starts with the header of the file.
    let start = isFirstOfFile ? 100 : 0
    guard page.count > start + 8, page[start] == leafOfTable else { return }
    let count = Int(page[start + 3]) << 8 | Int(page[start + 4])
    for index in 0..<count {
      let pointer = start + 8 + 2 * index
      guard pointer + 1 < page.count else { return }
      let cell = Int(page[pointer]) << 8 | Int(page[pointer + 1])
      guard let (rowid, columns) = row(in: page, at: cell) else { continue }
      try body(rowid, columns)
    }
  }

  /// The rowid and the columns of one cell; nil if they cannot be parsed.
  private static func row(in page: [UInt8], at cell: Int) -> (Int64, [ColumnValue])? {
    var reader = PageReader(bytes: page, position: cell)
    guard let size = reader.variableNumber(), let rowid = reader.variableNumber(), size > 0,
      size <= Int64(page.count - reader.position)
    else { return nil }
    let start = reader.position
    let end = start + Int(size)
    guard let headerSize = reader.variableNumber(), headerSize >= 1, headerSize <= size else { return nil }
    let headerEnd = start + Int(headerSize)
    var body = PageReader(bytes: page, position: headerEnd)
    var columns: [ColumnValue] = []
    while reader.position < headerEnd {
      guard columns.count < mostColumns, let type = reader.variableNumber(),
        let value = body.value(ofSerialType: type, before: end)
      else { return nil }
      columns.append(value)
    }
    return (rowid, columns)
  }
}

/// Reads numbers from a page, never beyond its end.
private struct PageReader {
  let bytes: [UInt8]
  var position: Int

  /// A varint of one to nine bytes: seven bits per byte, eight in the ninth.
  mutating func variableNumber() -> Int64? {
    var number: UInt64 = 0
    for index in 0..<9 {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      if index == 8 { return Int64(bitPattern: number << 8 | UInt64(byte)) }
      number = number << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 { return Int64(bitPattern: number) }
    }
    return nil
  }

  /// The value of a column (section 2.1 of the format); nil if it exceeds the row.
  mutating func value(ofSerialType type: Int64, before end: Int) -> ColumnValue? {
    switch type {
    case 0: return .null
    case 1...4: return wholeNumber(bytes: Int(type), before: end).map(ColumnValue.integer)
    case 5: return wholeNumber(bytes: 6, before: end).map(ColumnValue.integer)
    case 6: return wholeNumber(bytes: 8, before: end).map(ColumnValue.integer)
    case 7:
      return wholeNumber(bytes: 8, before: end).map { .real(Double(bitPattern: UInt64(bitPattern: $0))) }
    case 8: return .integer(0)
    case 9: return .integer(1)
    case 12...:
      let count = (type - 12) / 2
      guard count <= Int64(end - position), position <= end else { return nil }
      let content = bytes[position..<(position + Int(count))]
      position += Int(count)
      return type & 1 == 1 ? .text(String(decoding: content, as: UTF8.self)) : .blob([UInt8](content))
    default: return nil
    }
  }

  /// An integer, big-endian, in two's complement.
  private mutating func wholeNumber(bytes count: Int, before end: Int) -> Int64? {
    guard position + count <= end else { return nil }
    var number: Int64 = bytes[position] & 0x80 == 0 ? 0 : -1
    for byte in bytes[position..<(position + count)] { number = number << 8 | Int64(byte) }
    position += count
    return number
  }
}
