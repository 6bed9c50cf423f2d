import Quantities
import Testing

@testable import Devices

/// What libgps gets to read, and how bytes become lines.
@Suite struct GPSDLineTests {
  static let cases: [(line: String, class: GPSDLine.Class?, changed: String?)] = [
    (#"{"class":"TPV","mode":3}"#, .position, nil), (#"{"class":"SKY"}"#, .satellites, nil),
    (#"{"class":"GST","lat":1.0}"#, .deviation, nil), (#"{"class":"DEVICE","path":"/dev/a"}"#, .device, nil),
    (#"{"class":"VERSION","release":"3.25"}"#, .version, nil),
    (
      #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a"},{"class":"DEVICE","path":"/dev/b"}]}"#,
      .devices,
      #"{"class":"DEVICES","devices":[{                 "path":"/dev/a"},{                 "path":"/dev/b"}]}"#
    ),
    (#"{"class":"DEVICES","devices":[{"path":"/dev/a","class":"DEVICE"}]}"#, nil, nil),
    (#"{"class":"DEVICES","devices":[{"class":"DEVICE"}]}"#, nil, nil),
    (#"{"class":"DEVICES","devices":[{"class":"DEVICE","class":"DEVICE","path":"/dev/a"}]}"#, nil, nil),
    (#"{"class":"TPV","class":"SKY"}"#, nil, nil), (#"{"class":"TPV","mode":"x","class":"TPV"}"#, nil, nil),
    (#"{"class":"TPV"}{"class":"SKY"}"#, nil, nil), (#"{"mode":"x","class":"TPV"}"#, nil, nil),
    (#"{"class":"TPV","x":{"class":"SKY","mode":1}}"#, nil, nil),
    (#"{"class":"TPV","x":{"class":"DEVICE","mode":1}}"#, nil, nil),
    // An escaped quotation mark ends no name.
    (#"{"class":"DEVICE","path":"\"class\":"}"#, .device, nil),
    (#"{ "class":"TPV"}"#, nil, nil), (#"{"class": "TPV"}"#, nil, nil), (#"{"class":"TPVX"}"#, nil, nil),
    (#"{"class":"AIS","type":1}"#, nil, nil), (#"{"class":"POLL","tpv":[{"class":"TPV"}]}"#, nil, nil),
    (#"{"class":"#, nil, nil), (#"{"class":"TPV"#, nil, nil), ("{", nil, nil), ("", nil, nil),
    ("$GPRMC,,V,,,,,,,,,,N*53", nil, nil),
  ]

  @Test(arguments: cases.indices)
  func libgpsGetsALineWithOneKnownClassAtItsStart(_ index: Int) {
    let (line, expected, changed) = Self.cases[index]
    var bytes = Array(line.utf8)
    let preparation = bytes.withUnsafeMutableBufferPointer { GPSDLine.prepare($0) }
    let isRead = if case .read(let known) = preparation { known == expected } else { expected == nil }
    #expect(isRead, "\(preparation)")
    if expected != nil { #expect(String(decoding: bytes, as: UTF8.self) == changed ?? line) }
  }

  static let reasons: [(line: String, reason: IgnoredInput)] = [
    (#"{"class":"TPV","class":"SKY"}"#, .secondClass),
    (#"{"class":"DEVICES","devices":[{"class":"DEVICE"}]}"#, .secondClass),
    (#"{"class":"AIS","type":1}"#, .otherClass), (#"{"class":"TPVX"}"#, .otherClass),
    (#"{ "class":"TPV"}"#, .noClass), (#"{"class": "TPV"}"#, .noClass), ("", .noClass),
    ("$GPRMC,,V,,,,,,,,,,N*53", .noClass),
  ]

  @Test(arguments: reasons.indices) func aLineThatIsNotReadHasAReason(_ index: Int) {
    var bytes = Array(Self.reasons[index].line.utf8)
    let preparation = bytes.withUnsafeMutableBufferPointer { GPSDLine.prepare($0) }
    #expect(preparation == .ignored(Self.reasons[index].reason))
  }

  /// Passes `text` in pieces of `size` bytes and returns the lines.
  private func lines(of text: [UInt8], size: Int) -> [[UInt8]] {
    var buffer = GPSDLineBuffer()
    return lines(of: text, size: size, through: &buffer)
  }

  private func overlong(in text: [UInt8], size: Int) -> Int {
    var buffer = GPSDLineBuffer()
    _ = lines(of: text, size: size, through: &buffer)
    return buffer.takeOverlong()
  }

  private func lines(of text: [UInt8], size: Int, through buffer: inout GPSDLineBuffer) -> [[UInt8]] {
    var rest = text[...]
    var lines: [[UInt8]] = []
    while !rest.isEmpty {
      _ = buffer.fill { space in
        let piece = rest.prefix(min(size, space.count))
        space.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
      }
      while let line = buffer.next({ Array($0) }) { lines.append(line) }
    }
    return lines
  }

  @Test(arguments: [1, 2, 3, 7, 100, 4096, 20_479, 20_480, 50_000])
  func piecesOfAnySizeMakeTheSameLines(_ size: Int) {
    let parts: [[UInt8]] = [
      Array("first".utf8), [], Array(repeating: 0x79, count: GPSDLineBuffer.limit - 1), Array("\r".utf8),
      [0, 1, 0xFF],
      Array("last".utf8),
    ]
    #expect(lines(of: Array(parts.map { $0 + [0x0A] }.joined()), size: size) == parts)
  }

  @Test(arguments: [7, 4096, 50_000], [0, 1, 5, 20_480, 100_000])
  func aLineBeyondTheBufferIsLeftOutWhole(_ size: Int, _ beyond: Int) {
    let long = Array(repeating: UInt8(ascii: "z"), count: GPSDLineBuffer.limit + beyond)
    let text = Array("before\n".utf8) + long + Array("\nafter\n".utf8)
    #expect(lines(of: text, size: size) == ["before", "after"].map { Array($0.utf8) })
    #expect(overlong(in: text, size: size) == 1)
  }

  @Test func theEndOfTheSourceIsPassedOn() {
    var buffer = GPSDLineBuffer()
    #expect(buffer.fill { _ in 0 } == 0)
    #expect(buffer.fill { _ in -1 } == -1)
    #expect(buffer.next { Array($0) } == nil)
  }
}
