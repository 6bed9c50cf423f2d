import GNSSProtocol
import GNSSReceiver
import GNSSReport
import Quantities
import TestSupport
import Testing

@Suite struct FramingTests {
  static let good = "GPRMC,101112.00,A,5000.0,N,01000.0,E,1.0,90.0,010326,,,A"

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let sentences: UInt64
    var testDescription: String { name }
    init(_ name: String, _ text: String, _ sentences: UInt64) {
      (self.name, bytes, self.sentences) = (name, Array(text.utf8), sentences)
    }
    init(_ name: String, _ bytes: [UInt8], _ sentences: UInt64) {
      (self.name, self.bytes, self.sentences) = (name, bytes, sentences)
    }
  }

  static let cases = [
    Case("line feed only", "$GPGLL,,,,,,V,N*64\n$GPGLL,,,,,,V,N*64\n", 2),
    Case("carriage return only", "$GPGLL,,,,,,V,N*64\r$GPGLL,,,,,,V,N*64\r", 2),
    Case("no line ends", "$GPGLL,,,,,,V,N*64$GPGLL,,,,,,V,N*64", 2),
    Case("lower-case digits", "$GPGSA,A,1,,,,,,,,,,,,,,,*1e\r\n", 1),
    Case("wrong checksum", "$GPGLL,,,,,,V,N*65\r\n$GPGLL,,,,,,V,N*64\r\n", 1),
    Case("checksum of one digit", "$GPGLL,,,,,,V,N*6\r\n$GPGLL,,,,,,V,N*64\r\n", 1),
    Case("no checksum", "$GPGLL,,,,,,V,N\r\n$GPGLL,,,,,,V,N*64\r\n", 1),
    Case("start missing", "GLL,,,,,,V,N*64\r\n$GPGLL,,,,,,V,N*64\r\n", 1),
    Case("torn behind", "$GPGLL,,,$GPGLL,,,,,,V,N*64\r\n", 1),
    Case("nothing between", "$*00\r\n$GPGLL,,,,,,V,N*64\r\n", 1),
    Case("comment line", "# Delay 3\r\n$GPGLL,,,,,,V,N*64\r\n", 1),
    Case("NUL inside", Array("$GPGLL,,,\0,,,V,N*64\r\n$GPGLL,,,,,,V,N*64\r\n".utf8), 1),
    Case(
      "high byte inside",
      Array("$GPGLL,,".utf8) + [0xFF] + Array(",,,,V,N*64\r\n$GPGLL,,,,,,V,N*64\r\n".utf8), 1),
    Case("overlong", "$" + String(repeating: "A", count: 1500) + "$GPGLL,,,,,,V,N*64\r\n", 1),
    Case(
      "too long, without a dollar sign after it",
      "$" + String(repeating: "A", count: 3000) + "\r\n$GPGLL,,,,,,V,N*64",
      1),
    Case("longer than the standard", sentence("GNTXT,01,01,02," + String(repeating: "x", count: 300)), 1),
    Case("false UBX start", [0xB5, 0x62, 0x01, 0x07, 0xFF, 0x0F] + sentence(good), 1),
    Case("incomplete UBX start", [0xB5] + sentence(good) + [0xB5, 0x62], 1),
    Case("UBX with an implausible length", [0xB5, 0x62, 0x01, 0x07, 0xFF, 0xFF] + sentence(good), 1),
    Case(
      "RTCM3 between", sentence(good) + [0xD3, 0x00, 0x04, 0x24, 0x42, 0xB5, 0x24, 1, 2, 3] + sentence(good),
      2),
    Case(
      "CASIC between", sentence(good) + [0xBA, 0xCE, 4, 0, 1, 3, 0x24, 0, 0, 0, 9, 9, 9, 9] + sentence(good),
      2),
    Case("encapsulated", "!AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0*7D\r\n", 1),
  ]

  @Test(arguments: cases)
  func damagedFramesAreDiscardedAndTheirNeighboursKept(_ example: Case) {
    var bench = Bench()
    bench.send(example.bytes)
    bench.finish()
    #expect(bench.decoder.statistics.nmea == example.sentences)
    #expect(bench.decoder.isBetweenEpochs)
  }

  @Test func syncBytesInsideAFrameDoNotSplitIt() {
    var payload = [UInt8](repeating: 0, count: 40)
    payload.replaceSubrange(4..<10, with: [0xB5, 0x62, 0x01, 0x07, 0x24, 0x24])
    var bench = Bench()
    bench.send(ubx(0x0A, 0x09, payload) + ubx(0x05, 0x01, [6, 1]) + PVT().frame)
    #expect(bench.decoder.statistics.ubx == 3)
    #expect(bench.decoder.statistics.discardedBytes == 0)
    #expect(bench.decoder.statistics.count(of: .navigationSolution) == 1)
    #expect(bench.decoder.statistics.count(of: .otherUBX) == 2)
  }

  @Test func framesOfCASICAreCountedAndTheirBytesStartNoSentence() {
    var payload = [UInt8](repeating: 0x24, count: 12)
    payload[3] = 0xB5
    var bench = Bench()
    bench.send(casic(0x01, 0x03, payload) + sentence(Self.good) + casic(0x05, 0x01, [6, 4, 0, 0]))
    #expect(bench.decoder.statistics.casic == 2 && bench.decoder.statistics.nmea == 1)
    #expect(bench.decoder.statistics.discardedBytes == 0)
  }

  @Test func binarySiRFIsRecognised() {
    var bench = Bench()
    bench.send([0xA0, 0xA2, 0, 3, 0x24, 0x2A, 0xB5, 0x01, 0x03, 0xB0, 0xB3] + sentence(Self.good))
    #expect(bench.decoder.statistics.count(of: .sirfBinary) == 1 && bench.decoder.statistics.nmea == 1)
  }

  @Test func damageIsCounted() {
    var bench = Bench()
    var damaged = PVT().frame
    damaged[50] ^= 4
    bench.send(damaged + Array("xyz$GPGLL,,,,,,V,N*65\r\n$GPGLL,,,,,,V,N\r\n".utf8) + sentence(Self.good))
    let statistics = bench.decoder.statistics
    #expect(statistics.checksumErrors == 2)
    #expect(statistics.uncheckedSentences == 1)
    #expect(statistics.discardedBytes == 100 + 3 + 18 + 15)
    #expect(statistics.nmea == 1 && statistics.ubx == 0)
    #expect(statistics.count(of: .rmc) == 1 && statistics.count(of: .gps) == 1)
  }

  /// Valid frames, damaged frames and noise in any order.
  static func stream(_ random: inout SplitMix64, second: inout Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<60 {
      second += 1
      let time = "10\(10 + second / 60 % 50)\(10 + second % 50).00"
      var frame: [UInt8]
      switch Int.random(in: 0..<8, using: &random) {
      case 0: frame = sentence("GPRMC,\(time),A,5000.0,N,01000.0,E,1.0,90.0,010326,,,A")
      case 1: frame = sentence("GNGGA,\(time),5000.0,N,01000.0,E,1,08,1.1,120.0,M,45.0,M,,")
      case 2: frame = sentence("GNVTG,90.5,T,,M,10.0,N,18.5,K,A")
      case 3: frame = sentence("GNGSA,A,3,01,,,,,,,,,,,,2.0,1.1,1.6,1")
      case 4: frame = PVT().frame
      case 5: frame = ubx(0x01, 0x35, (0..<Int.random(in: 0..<900, using: &random)).map { UInt8($0 & 0xFF) })
      case 6:
        frame = (0..<Int.random(in: 1..<200, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
      default: frame = Array("$B5\u{1}*4$,GPRMC,,".utf8)
      }
      if Int.random(in: 0..<5, using: &random) == 0 {
        frame.removeSubrange(Int.random(in: 0..<frame.count, using: &random)...)
      }
      if Int.random(in: 0..<5, using: &random) == 0, !frame.isEmpty {
        frame[Int.random(in: 0..<frame.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      bytes += frame
    }
    return bytes
  }

  @Test(arguments: 0..<200)
  func anyBytesInAnyPiecesGiveTheSameFixes(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var second = 0
    let bytes = Self.stream(&random, second: &second)
    let whole = decode(bytes)
    #expect(decode(bytes, pieces: { 1 }) == whole)
    #expect(decode(bytes, pieces: { Int.random(in: 1...700, using: &random) }) == whole)
  }

  @Test(arguments: 0..<50)
  func aSentenceAfterAnyNoiseIsFound(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var noise = (0..<Int.random(in: 0..<6000, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    // Start bytes as often as on a damaged line.
    for index in noise.indices where Int.random(in: 0..<20, using: &random) == 0 {
      noise[index] = [0x24, 0xB5, 0x62, 0x2A].randomElement(using: &random) ?? 0x24
    }
    var bench = Bench()
    bench.send(noise + sentence(Self.good))
    bench.finish()
    #expect(bench.decoder.statistics.count(of: .rmc) == 1)
    #expect(bench.fixes.contains { $0.latitude == 50 })
  }

  @Test(arguments: 0..<50)
  func noMutationOfASentenceTraps(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let bodies = [
      Self.good, "GPGGA,101112.00,5000.0,N,01000.0,E,1,08,2.0,120.0,M,45.0,M,,",
      "GPZDA,101112.00,01,03,2026,00,00",
      "GPGST,101112.00,1,,,,0.3,0.4,0.7", "GNGNS,101112.00,5000.0,N,01000.0,E,NAN,08,1.1,120.0,45.0,,,V",
      "GPGSA,A,3,,,,,,,,,,,,,3.6,2.0,3.0", "GPVTG,90.5,T,,M,10.0,N,18.5,K,A",
      "GPGLL,5000.0,N,01000.0,E,101112.00,A,A",
    ]
    var bench = Bench()
    for _ in 0..<300 {
      var body = Array((bodies.randomElement(using: &random) ?? Self.good).utf8)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let offset = Int.random(in: 5..<body.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: body[offset] = UInt8.random(in: 0x2B...0x7E, using: &random)
        case 1:
          body.insert(
            contentsOf: [UInt8](repeating: 0x39, count: Int.random(in: 1...30, using: &random)), at: offset)
        default: body[offset] = UInt8(ascii: ",")
        }
      }
      // The checksum is valid, so the damage reaches every field parser.
      bench.send(sentence(String(decoding: body, as: UTF8.self)))
      var payload = PVT().frame
      for _ in 0..<20 {
        payload[Int.random(in: 6..<98, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      bench.send(ubx(0x01, 0x07, Array(payload[6..<98])))
    }
    bench.finish()
    #expect(bench.fixes.contains { $0.kind != .none })
    for fix in bench.fixes where fix.kind != .none {
      #expect(abs(fix.latitude ?? 91) <= 90 && abs(fix.longitude ?? 181) <= 180)
      #expect((0..<360).contains(fix.course ?? 0))
    }
    var text: [UInt8] = []
    for fix in bench.fixes { TPV.append(fix, to: &text) }
  }
}
