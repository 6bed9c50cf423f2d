/// The bytes of gpsd that have not been read yet, divided into lines.
///
/// A line that exceeds the buffer is left out up to its end.
struct GPSDLineBuffer {
  /// Bytes of the longest line with its end: twice GPS_JSON_RESPONSE_MAX of gps.h, as in libgps.
  static let limit = 20_480

  private var bytes = [UInt8](repeating: 0, count: limit)
  /// The bytes that wait.
  private var waiting = 0..<0
  /// The waiting bytes that are known to have no end of a line.
  private var searched = 0
  private var isOverlong = false
  private var overlong = 0

  /// Appends what `source` writes into the free part of the buffer, which is never empty; it returns the number of bytes
  /// written, and any other number is returned unchanged. Take all lines first.
  mutating func fill(_ source: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    let count = waiting.count
    let read = bytes.withUnsafeMutableBytes { bytes in
      bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[waiting]))
      return source(UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
    }
    waiting = 0..<count
    guard (1...Self.limit - count).contains(read) else { return read }
    waiting = 0..<count + read
    return read
  }

  /// The number of lines that exceeded the buffer since the last call.
  mutating func takeOverlong() -> Int {
    defer { overlong = 0 }
    return overlong
  }

  /// Passes on the next complete line, without its end; a NUL follows it in memory. Nil without one.
  mutating func next<Result>(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Result) -> Result? {
    while let end = bytes[waiting].dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
      let line = waiting.lowerBound..<end
      waiting = end + 1..<waiting.upperBound
      searched = 0
      if isOverlong {
        isOverlong = false
        continue
      }
      return bytes.withUnsafeMutableBufferPointer { bytes in
        bytes[end] = 0
        return body(UnsafeMutableBufferPointer(rebasing: bytes[line]))
      }
    }
    if waiting.count == Self.limit {
      if !isOverlong { overlong &+= 1 }
      isOverlong = true
      waiting = 0..<0
    }
    searched = waiting.count
    return nil
  }
}
