import Glibc

/// Reads the rows of an accelerometer recording: comma-separated values under a line of column names.
struct AccelerationTable {
  /// One row of the table. Unreadable values are NaN.
  struct Row {
    /// The time, in seconds.
    var time: Double
    /// The acceleration, in g.
    var acceleration: SIMD3<Float>
    /// The speed, in m/s; nil if the field is empty or the column is missing.
    var speed: Float?
  }

  /// A required column is missing.
  struct NoColumn: Error, CustomStringConvertible {
    var path: String
    var name: String
    var found: String
    var description: String {
      "\(path): no column \"\(name)\" in the first line (\(found)); expected t_s,ax_g,ay_g,az_g[,speed_mps]"
    }
  }

  private enum Column { case time, x, y, z, length, speed }

  private static let names: [String: Column] = [
    "t_s": .time, "ax_g": .x, "ay_g": .y, "az_g": .z, "amag_g": .length, "speed_mps": .speed,
  ]

  /// The column of each field, by index; nil for ignored fields.
  private var columns: [Column?] = []
  private let path: String

  private init(path: String) { self.path = path }

  /// Reads a file and passes its rows to `take` in order.
  static func read(_ path: String, _ take: (Row) throws -> Void) throws {
    let file = try PlainOrGzipFile.open(
      path, directoryRemedy: "use --folder to classify all recordings in it")
    var table = AccelerationTable(path: path)
    // One more byte for the zero that terminates the last number.
    let capacity = 1 << 17
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity + 1, alignment: 16)
    defer { buffer.deallocate() }
    var filled = 0
    while true {
      let count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<capacity]))
      filled += count
      var begin = 0
      var search = filled - count
      while let end = newline(in: buffer, from: search, to: filled) {
        buffer[end] = 0
        try table.take(UnsafeMutableRawBufferPointer(rebasing: buffer[begin...end]), take)
        (begin, search) = (end + 1, end + 1)
      }
      let remainder = filled - begin
      if count == 0 || remainder == capacity {
        if remainder > 0 {
          buffer[filled] = 0
          try table.take(UnsafeMutableRawBufferPointer(rebasing: buffer[begin...filled]), take)
        }
        filled = 0
        if count == 0 { break }
      } else {
        if begin > 0, let base = buffer.baseAddress { memmove(base, base + begin, remainder) }
        filled = remainder
      }
    }
    guard !table.columns.isEmpty else { throw NoColumn(path: path, name: "t_s", found: "empty") }
  }

  private static func newline(in buffer: UnsafeMutableRawBufferPointer, from: Int, to: Int) -> Int? {
    guard from < to, let base = buffer.baseAddress, let found = memchr(base + from, 10, to - from) else {
      return nil
    }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  /// Parses a line, which ends with a zero byte.
  private mutating func take(_ line: UnsafeMutableRawBufferPointer, _ take: (Row) throws -> Void) throws {
    if columns.isEmpty { return try readHeader(line) }
    guard line.count > 2, let base = line.baseAddress else { return }
    var row = Row(time: .nan, acceleration: SIMD3(repeating: .nan), speed: nil)
    let quote = UInt8(ascii: "\"")
    var start = 0
    for column in columns {
      var end = start
      while end < line.count - 1, line[end] != UInt8(ascii: ",") { end += 1 }
      let isQuoted = end - start > 1 && line[start] == quote && line[end - 1] == quote
      line[isQuoted ? end - 1 : end] = 0
      let first = isQuoted ? start + 1 : start
      if let column, line[first] != 0 {
        let length = (isQuoted ? end - 1 : end) - first
        Self.set(column, Self.number((base + first).assumingMemoryBound(to: CChar.self), length), &row)
      }
      start = end + 1
      if start >= line.count { break }
    }
    try take(row)
  }

  /// Returns the number in a field; NaN unless the field holds exactly one number.
  private static func number(_ field: UnsafeMutablePointer<CChar>, _ length: Int) -> Double {
    var remainder: UnsafeMutablePointer<CChar>?
    let value = strtod(field, &remainder)
    guard var remainder, remainder != field else { return .nan }
    while isspace(Int32(UInt8(bitPattern: remainder.pointee))) != 0 { remainder += 1 }
    return remainder - field == length ? value : .nan
  }

  private static func set(_ column: Column, _ value: Double, _ row: inout Row) {
    switch column {
    case .time: row.time = value
    case .x: row.acceleration.x = Float(value)
    case .y: row.acceleration.y = Float(value)
    case .z: row.acceleration.z = Float(value)
    case .length: row.acceleration = SIMD3(0, 0, Float(value))
    case .speed: row.speed = value.isFinite ? Float(value) : nil
    }
  }

  private mutating func readHeader(_ line: UnsafeMutableRawBufferPointer) throws {
    var text = String(decoding: line.dropLast(), as: UTF8.self)
    if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
      .map { $0.filter { !$0.isWhitespace && $0 != "\"" } }
    let vector = words.contains("ax_g") || !words.contains("amag_g")
    for name in vector ? ["t_s", "ax_g", "ay_g", "az_g"] : ["t_s"] where !words.contains(name) {
      throw NoColumn(path: path, name: name, found: String(text.prefix(80)))
    }
    columns = words.map { word in
      let column = Self.names[word]
      return vector && column == .length ? nil : column
    }
  }
}
