/// A frame between the logger and the process of a connection that is not one of ``SessionRequest`` or ``SessionReport``.
struct SessionFrameError: Error, Equatable {}

/// Divides a stream of bytes into frames: the length of the body in four bytes, the highest first, and the body.
struct SessionFrames: Sendable {
  private var bytes: [UInt8] = []
  private var start = 0
  private let longest: Int

  /// `longest` is the maximum length of a body in bytes.
  init(longest: Int) { self.longest = longest }

  mutating func append(_ more: some Sequence<UInt8>) {
    bytes.removeFirst(start)
    start = 0
    bytes.append(contentsOf: more)
  }

  /// Returns the body of the next frame; nil if it is not complete.
  mutating func next() throws(SessionFrameError) -> SessionReader? {
    guard bytes.count - start >= 4 else { return nil }
    let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= longest else { throw SessionFrameError() }
    guard bytes.count - start - 4 >= length else { return nil }
    defer { start += 4 + length }
    return SessionReader(bytes[start + 4..<start + 4 + length])
  }
}

/// Writes the fields of a frame.
struct SessionWriter {
  private var body: [UInt8] = []

  /// The frame.
  var frame: [UInt8] { Self.number(UInt32(clamping: body.count)) + body }

  private static func number(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  mutating func add(_ value: UInt8) { body.append(value) }
  mutating func add(_ value: Bool) { body.append(value ? 1 : 0) }
  mutating func add(_ value: Int32) { body += Self.number(UInt32(bitPattern: value)) }
  mutating func add(_ value: UInt16) { add(Int32(value)) }

  mutating func add(_ value: [UInt8]) {
    body += Self.number(UInt32(clamping: value.count))
    body += value
  }

  mutating func add(_ value: String) { add(Array(value.utf8)) }

  mutating func add(_ value: String?) {
    add(value != nil)
    if let value { add(value) }
  }
}

/// Reads the fields of a frame.
struct SessionReader: Equatable {
  private var rest: ArraySlice<UInt8>

  init(_ body: ArraySlice<UInt8>) { rest = body }

  private mutating func take(_ count: Int) throws(SessionFrameError) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw SessionFrameError() }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func byte() throws(SessionFrameError) -> UInt8 {
    guard let value = try take(1).first else { throw SessionFrameError() }
    return value
  }

  mutating func flag() throws(SessionFrameError) -> Bool {
    switch try byte() {
    case 0: return false
    case 1: return true
    default: throw SessionFrameError()
    }
  }

  mutating func number() throws(SessionFrameError) -> Int32 {
    Int32(bitPattern: try take(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
  }

  mutating func shortNumber() throws(SessionFrameError) -> UInt16 {
    guard let value = UInt16(exactly: try number()) else { throw SessionFrameError() }
    return value
  }

  mutating func bytes() throws(SessionFrameError) -> [UInt8] {
    let count = try number()
    guard count >= 0 else { throw SessionFrameError() }
    return Array(try take(Int(count)))
  }

  mutating func text() throws(SessionFrameError) -> String { String(decoding: try bytes(), as: UTF8.self) }

  mutating func optionalText() throws(SessionFrameError) -> String? { try flag() ? try text() : nil }

  /// Throws if the frame has more fields than were read.
  func end() throws(SessionFrameError) {
    guard rest.isEmpty else { throw SessionFrameError() }
  }
}
