import Quantities

/// Writes one line of a report into memory with enough room for all of it.
///
/// Numbers are written eight digits at a time, so eight bytes of room are needed after the end of the line.
struct ReportLine {
  private(set) var end: UnsafeMutableRawPointer

  @inline(__always)
  mutating func write(_ text: StaticString) {
    end.copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
    end += text.utf8CodeUnitCount
  }

  /// Writes `value`, at most 19 digits, without leading zeros.
  @inline(__always)
  mutating func write(_ value: UInt64) {
    guard value < DecimalDigits.limit else { return writeLong(value) }
    let digits = DecimalDigits.eight(value)
    // The last digit is written even if it is 0.
    let zeros = min(digits.trailingZeroBitCount &>> 3, 7)
    store(digits &>> UInt64(truncatingIfNeeded: zeros &* 8), count: 8 &- zeros)
  }

  /// The lowest `count` (1...9) digits of `value`, with leading zeros.
  @inline(__always)
  mutating func write(_ value: UInt64, digits count: Int) {
    if count == 9 { store(value / DecimalDigits.limit, count: 1) }
    let others = min(count, 8)
    let digits = DecimalDigits.eight(value % DecimalDigits.limit)
    store(digits &>> UInt64(truncatingIfNeeded: (8 &- others) &* 8), count: others)
  }

  /// Writes ISO 8601 in UTC with milliseconds and `Z`.
  @inline(__always)
  mutating func write(_ timestamp: Timestamp) {
    let date = timestamp.date
    let ofDay = UInt64(timestamp.millisecondOfDay)
    write(UInt64(date.year), digits: 4)
    write("-")
    write(UInt64(date.month), digits: 2)
    write("-")
    write(UInt64(date.day), digits: 2)
    write("T")
    write(ofDay / 3_600_000, digits: 2)
    write(":")
    write(ofDay / 60_000 % 60, digits: 2)
    write(":")
    write(ofDay / 1000 % 60, digits: 2)
    write(".")
    write(ofDay % 1000, digits: 3)
    write("Z")
  }

  @inline(never)
  private mutating func writeLong(_ value: UInt64) {
    write(value / DecimalDigits.limit)
    write(value, digits: 8)
  }

  /// Writes the first `count` digits of a register.
  @inline(__always)
  private mutating func store(_ digits: UInt64, count: Int) {
    end.storeBytes(of: (digits | DecimalDigits.text).littleEndian, as: UInt64.self)
    end += count
  }
}

extension [UInt8] {
  /// Appends a line of at most `room` bytes.
  @inline(__always)
  mutating func appendLine(room: Int, _ write: (inout ReportLine) -> Void) {
    withUnsafeTemporaryAllocation(byteCount: room + 8, alignment: 8) { memory in
      guard let start = memory.baseAddress else { return }
      var line = ReportLine(end: start)
      write(&line)
      append(contentsOf: UnsafeRawBufferPointer(start: start, count: line.end - start))
    }
  }
}
