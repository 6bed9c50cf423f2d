import CZlib

extension QRMatrix {
  /// The code as an SVG image of `size` + 8 units, for print in any size.
  public var svg: [UInt8] {
    let side = range.count
    var path = ""
    for row in 0..<size {
      var column = 0
      while column < size {
        let start = column
        while column < size, isDark(row: row, column: column) { column += 1 }
        if column > start {
          path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(column - start)v1h-\(column - start)z"
        }
        column += 1
      }
    }
    return Array(
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">
      <rect width="\(side)" height="\(side)" fill="#fff"/><path d="\(path)"/>
      </svg>

      """.utf8)
  }

  /// Pixels on each side of a module in ``png``.
  static let pixels = 8

  /// Returns the code as a PNG image in black and white, with 8 pixels per module (PNG specification, third edition).
  public func png() throws(QRError) -> [UInt8] {
    let side = range.count * Self.pixels
    var rows: [UInt8] = []
    for row in range {
      // One byte per module, because a module has eight pixels; the first byte is the filter type none.
      let line: [UInt8] = [0] + range.map { isDark(row: row, column: $0) ? 0 : 0xff }
      for _ in 0..<Self.pixels { rows += line }
    }
    // Bit depth 1, grayscale, and the only methods of compression, filter and interlace that are needed.
    let header = Self.bigEndian(side) + Self.bigEndian(side) + [1, 0, 0, 0, 0]
    return try [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + Self.chunk("IHDR", header)
      + Self.chunk("IDAT", Self.compressed(rows)) + Self.chunk("IEND", [])
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    let checksum = crc32(0, body, UInt32(body.count))
    return bigEndian(data.count) + body + bigEndian(Int(checksum))
  }

  private static func compressed(_ bytes: [UInt8]) throws(QRError) -> [UInt8] {
    var length = compressBound(uLong(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(length))
    // The buffer has the size that compress2 requires, so only a lack of memory could make it fail.
    guard compress2(&result, &length, bytes, uLong(bytes.count), Z_BEST_COMPRESSION) == Z_OK else {
      throw .outOfMemory
    }
    return Array(result.prefix(Int(length)))
  }
}
