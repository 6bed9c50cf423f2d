/// One frame from the host with a valid checksum.
enum HostFrame: Sendable, Equatable {
  /// The fields between `$` and `*`, starting with the address.
  case sentence([String])
  case ubx(group: UInt8, id: UInt8, payload: [UInt8])
  case casic(group: UInt8, id: UInt8, payload: [UInt8])
}

/// Finds frames in the data from the host. Buffers at most 1,200 bytes; damaged data is skipped.
struct HostFrameReader: Sendable {
  /// The binary protocol of a module.
  enum Binary: Sendable { case none, ubx, casic }

  private var buffer: [UInt8] = []
  private static let longestPayload = 1024
  private static let longestSentence = 256

  mutating func clear() { buffer.removeAll(keepingCapacity: true) }

  /// The frames in `bytes` and in the data buffered before.
  mutating func read(_ bytes: [UInt8], binary: Binary) -> [HostFrame] {
    var frames: [HostFrame] = []
    for start in stride(from: 0, to: bytes.count, by: 128) {
      buffer += bytes[start..<min(start + 128, bytes.count)]
      var at = 0
      search: while at < buffer.count {
        switch frame(at, binary) {
        case .none: at += 1
        case .some((let length, let frame)):
          guard let length else { break search }
          if let frame { frames.append(frame) }
          at += length
        }
      }
      buffer.removeFirst(at)
    }
    return frames
  }

  /// Parses the frame that begins at an index; nil if none does. Without a length, more bytes are needed. Without a
  /// frame, the data is to be skipped.
  private func frame(_ at: Int, _ binary: Binary) -> (length: Int?, frame: HostFrame?)? {
    switch (buffer[at], binary) {
    case (UInt8(ascii: "$"), _): sentence(at)
    case (0xB5, .ubx): binaryFrame(at, second: 0x62, trailer: 2, Self.ubx)
    case (0xBA, .casic): binaryFrame(at, second: 0xCE, trailer: 4, Self.casic)
    default: nil
    }
  }

  private func sentence(_ at: Int) -> (length: Int?, frame: HostFrame?)? {
    let remainder = buffer[at...].prefix(Self.longestSentence).dropFirst()
    guard let end = remainder.firstIndex(where: { !(0x20...0x7E).contains($0) || $0 == UInt8(ascii: "$") })
    else {
      return buffer.count - at < Self.longestSentence ? (nil, nil) : nil
    }
    let text = buffer[(at + 1)..<end]
    guard buffer[end] == 0x0D || buffer[end] == 0x0A, text.count > 3,
      text[text.endIndex - 3] == UInt8(ascii: "*"),
      let checksum = UInt8(String(decoding: text.suffix(2), as: UTF8.self), radix: 16),
      text.dropLast(3).reduce(0, ^) == checksum
    else { return (end - at, nil) }
    let fields = text.dropLast(3).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    return (end - at, .sentence(fields.map { String(decoding: $0, as: UTF8.self) }))
  }

  private func binaryFrame(
    _ at: Int, second: UInt8, trailer: Int, _ parse: (ArraySlice<UInt8>) -> HostFrame?
  ) -> (length: Int?, frame: HostFrame?)? {
    let bytes = buffer[at...]
    guard bytes.count > 1 else { return (nil, nil) }
    guard bytes[at + 1] == second else { return nil }
    guard bytes.count >= 6 else { return (nil, nil) }
    let offset = trailer == 2 ? 4 : 2
    let length = Int(bytes[at + offset]) | Int(bytes[at + offset + 1]) << 8
    guard length <= Self.longestPayload else { return nil }
    let whole = 6 + length + trailer
    guard bytes.count >= whole else { return (nil, nil) }
    guard let frame = parse(bytes.prefix(whole)) else { return nil }
    return (whole, frame)
  }

  private static func ubx(_ bytes: ArraySlice<UInt8>) -> HostFrame? {
    let first = bytes.startIndex
    let payload = Array(bytes.dropFirst(6).dropLast(2))
    guard ModuleFrame.ubx(bytes[first + 2], bytes[first + 3], payload) == Array(bytes) else { return nil }
    return .ubx(group: bytes[first + 2], id: bytes[first + 3], payload: payload)
  }

  private static func casic(_ bytes: ArraySlice<UInt8>) -> HostFrame? {
    let first = bytes.startIndex
    let payload = Array(bytes.dropFirst(6).dropLast(4))
    guard ModuleFrame.casic(bytes[first + 4], bytes[first + 5], payload) == Array(bytes) else { return nil }
    return .casic(group: bytes[first + 4], id: bytes[first + 5], payload: payload)
  }
}
