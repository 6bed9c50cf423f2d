import Glibc
import Quantities

/// A one-dimensional array in PostgreSQL's binary format, built element by element, as a parameter for `unnest`.
///
/// Elements are written to one buffer that only grows, so that an element costs no allocation. The buffer can be used
/// again after ``removeAll()``. Format: `array_recv` in PostgreSQL's `arrayfuncs.c`; elements are in network byte order.
public final class ArrayColumn {
  /// The type of the elements; the raw value is its OID in `pg_type`.
  public enum Element: UInt32, Sendable {
    case bool = 16
    case bytea = 17
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case float4 = 700
    case timestamptz = 1184
    case uuid = 2950
    case jsonb = 3802
  }

  /// Number of dimensions, a flag for NULL, type, length and lower bound.
  private static let headerSize = 20
  private static let emptyHeaderSize = 12

  public let element: Element
  public private(set) var count = 0
  private var hasNull = false
  private var buffer: UnsafeMutableRawPointer
  private var capacity: Int
  private var size = ArrayColumn.headerSize

  public init(_ element: Element, capacity: Int = 64) {
    self.element = element
    self.capacity = Self.headerSize + max(capacity, 1) * 12
    buffer = .allocate(byteCount: self.capacity, alignment: 8)
  }

  deinit { buffer.deallocate() }

  public func removeAll() {
    (count, size, hasNull) = (0, Self.headerSize, false)
  }

  /// The bytes of the array, valid until the next change.
  var bytes: UnsafeRawBufferPointer {
    put(Int32(count == 0 ? 0 : 1), at: 0)
    put(Int32(hasNull ? 1 : 0), at: 4)
    put(element.rawValue, at: 8)
    put(Int32(clamping: count), at: 12)
    put(Int32(1), at: 16)
    return UnsafeRawBufferPointer(start: buffer, count: count == 0 ? Self.emptyHeaderSize : size)
  }

  /// Appends NULL.
  public func appendNull() {
    reserve(4)
    put(Int32(-1), at: size)
    size += 4
    count += 1
    hasNull = true
  }

  /// Appends an element of type `int2`.
  public func append(_ value: Int16?) { appendNumber(value) }

  /// Appends an element of type `int4`.
  public func append(_ value: Int32?) { appendNumber(value) }

  /// Appends an element of type `int8`.
  public func append(_ value: Int64?) { appendNumber(value) }

  /// Appends an element of type `float4`.
  public func append(_ value: Float?) { appendNumber(value?.bitPattern) }

  /// Appends an element of type `bool`.
  public func append(_ value: Bool?) { appendNumber(value.map { $0 ? UInt8(1) : 0 }) }

  /// Appends an element of type `timestamptz`.
  public func append(_ value: Timestamp?) { appendNumber(value.map(PostgresTime.microseconds)) }

  /// Appends an element of type `uuid`, from its two halves.
  public func append(high: UInt64, low: UInt64) {
    reserve(20)
    put(Int32(16), at: size)
    put(high, at: size + 4)
    put(low, at: size + 12)
    size += 20
    count += 1
  }

  /// Appends an element of type `text`, without NUL, or of type `jsonb`: a valid JSON text.
  public func append(_ value: String?) {
    guard var value else { return appendNull() }
    value.withUTF8 {
      append(UnsafeRawBufferPointer($0), prefix: element == .jsonb ? PostgresParameter.jsonbVersion : nil)
    }
  }

  /// Appends an element of type `bytea`.
  public func append(_ value: [UInt8]?) {
    guard let value else { return appendNull() }
    value.withUnsafeBytes { append($0, prefix: nil) }
  }

  private func append(_ bytes: UnsafeRawBufferPointer, prefix: UInt8?) {
    let length = bytes.count + (prefix == nil ? 0 : 1)
    reserve(4 + length)
    put(Int32(clamping: length), at: size)
    size += 4
    if let prefix {
      buffer.storeBytes(of: prefix, toByteOffset: size, as: UInt8.self)
      size += 1
    }
    if let start = bytes.baseAddress { (buffer + size).copyMemory(from: start, byteCount: bytes.count) }
    size += bytes.count
    count += 1
  }

  @inline(__always)
  private func appendNumber<Number: FixedWidthInteger>(_ value: Number?) {
    guard let value else { return appendNull() }
    reserve(4 + MemoryLayout<Number>.size)
    put(Int32(MemoryLayout<Number>.size), at: size)
    put(value, at: size + 4)
    size += 4 + MemoryLayout<Number>.size
    count += 1
  }

  @inline(__always)
  private func put<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
    buffer.storeBytes(of: value.bigEndian, toByteOffset: offset, as: Number.self)
  }

  @inline(__always)
  private func reserve(_ additional: Int) {
    if size + additional > capacity { grow(to: size + additional) }
  }

  private func grow(to needed: Int) {
    let larger = max(needed, capacity * 2)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
    moved.copyMemory(from: buffer, byteCount: size)
    buffer.deallocate()
    (buffer, capacity) = (moved, larger)
  }
}
