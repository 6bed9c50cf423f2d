import Quantities
import Testing
import GNSSProtocol
import GNSSReceiver

/// Lines that never end: the worst input from a short circuit, a wrong baud rate or an attacker.
@Suite struct EndlessLineTests {
  struct Line: Sendable, CustomTestStringConvertible {
    let name: String
    let pattern: [UInt8]
    let bytes: Int
    /// Wrong checksums in each repetition.
    let checksumErrors: Int
    var testDescription: String { name }
    init(_ name: String, _ pattern: [UInt8], bytes: Int = 1_000_000, checksumErrors: Int = 0) {
      (self.name, self.pattern, self.bytes, self.checksumErrors) = (name, pattern, bytes, checksumErrors)
    }
  }

  static let lines = [
    Line("dollars", Array("$".utf8), bytes: 24_000_000),
    Line("sync of UBX", [0xB5, 0x62], bytes: 24_000_000),
    Line("exclamation marks", Array("!".utf8)),
    Line("text", Array("A".utf8)),
    Line("long sentences", Array("$".utf8) + [UInt8](repeating: 0x41, count: 5000)),
    Line("false checksums", Array("$GPRMC,*00".utf8), checksumErrors: 1),
    // Each is read to its end before it is rejected, which is slow without optimisation.
    Line(
      "headers of the longest UBX", [0xB5, 0x62, 0x01, 0x07, 0x00, 0x10], bytes: 131_072, checksumErrors: 1),
    Line(
      "headers of the longest CASIC", [0xBA, 0xCE, 0x00, 0x04, 0x01, 0x03], bytes: 131_072, checksumErrors: 1),
    Line("headers of the longest SiRF", [0xA0, 0xA2, 0x03, 0xFF]),
    Line("zeros", [0]),
  ]

  @Test(.timeLimit(.minutes(2)), arguments: lines)
  func everyByteIsDiscardedAndTheStorageDoesNotGrow(_ line: Line) {
    let block = [UInt8](
      (0..<65_536 / line.pattern.count + 1).flatMap { _ in line.pattern })
    let blocks = line.bytes / block.count
    var framer = Framer()
    let address = framer.storage.withUnsafeBytes { $0.baseAddress }
    for _ in 0..<blocks {
      block.withUnsafeBytes { bytes in
        var remainder = bytes
        while !remainder.isEmpty {
          let taken = framer.fill(from: remainder)
          remainder = UnsafeRawBufferPointer(rebasing: remainder[taken...])
          drain(&framer)
        }
      }
    }
    while !framer.isEmpty {
      framer.abandonHalfFrame()
      drain(&framer)
    }
    #expect(framer.discardedBytes == UInt64(blocks * block.count))
    #expect(framer.uncheckedSentences == 0)
    #expect(framer.storage.withUnsafeBytes { $0.baseAddress } == address)
    #expect(framer.storage.count == Framer.capacity + Framer.slack)
    // At the end the last frames are incomplete.
    let errors = UInt64(blocks * block.count / line.pattern.count * line.checksumErrors)
    #expect(framer.checksumErrors <= errors && framer.checksumErrors + 4104 >= errors)
  }

  private func drain(_ framer: inout Framer) {
    let storage = framer.storage
    storage.withUnsafeBytes { bytes in
      while framer.next(in: bytes) != nil { Issue.record("a frame was found") }
    }
  }
}
