import GNSSProtocol
import Quantities
import Testing

/// The place of an epoch in the receiver's output, from which the arrival of its first byte follows.
@Suite struct EpochSpanTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var title: String
    var span: EpochSpan
    var bitsPerSecond: UInt32?
    /// Start of the epoch in ms.
    var start: Int64
    var testDescription: String { title }
  }

  private static func span(_ opened: Int64, _ firstBytes: Int, _ closed: Int64, _ bytes: Int) -> EpochSpan {
    EpochSpan(
      opened: Moment(nanoseconds: opened * 1_000_000), firstBytes: firstBytes,
      closed: Moment(nanoseconds: closed * 1_000_000), bytes: bytes)
  }

  /// At 9600 bit/s, 96 bytes take 100 ms.
  static let cases = [
    Case(title: "read at once", span: span(1000, 96, 1000, 480), bitsPerSecond: 9600, start: 500),
    Case(
      title: "read as it arrives", span: span(600, 96, 1000, 480), bitsPerSecond: 9600, start: 500),
    Case(
      title: "the end read late", span: span(600, 96, 1240, 480), bitsPerSecond: 9600, start: 500),
    Case(
      title: "the beginning read late", span: span(750, 96, 1000, 480), bitsPerSecond: 9600, start: 500),
    Case(title: "one message", span: span(1000, 96, 1000, 96), bitsPerSecond: 9600, start: 900),
    Case(title: "USB", span: span(600, 96, 1000, 480), bitsPerSecond: nil, start: 600),
    Case(title: "bit rate 0", span: span(600, 96, 1000, 480), bitsPerSecond: 0, start: 600),
    Case(title: "fast line", span: span(1000, 96, 1000, 1152), bitsPerSecond: 115_200, start: 900),
    Case(title: "no bytes", span: span(1000, 0, 1000, 0), bitsPerSecond: 9600, start: 1000),
  ]

  @Test(arguments: cases) func theFirstByteArrivedBeforeBothReadings(_ row: Case) {
    #expect(row.span.start(bitsPerSecond: row.bitsPerSecond).nanoseconds == row.start * 1_000_000)
  }

  @Test func anImpossibleLengthDoesNotTrap() {
    _ = EpochSpan(opened: .zero, firstBytes: .max, closed: .zero, bytes: .max).start(bitsPerSecond: 1)
  }

  /// RMC and GGA of a second, then satellites, which close nothing and belong to no time.
  private static func burst(_ second: Int, satellites: Bool) -> [[UInt8]] {
    let clock = "1200\(second < 10 ? "0" : "")\(second).00"
    let fix = [
      sentence("GNRMC,\(clock),A,5231.00000,N,01323.00000,E,1.000,90.00,210326,,,A,V"),
      sentence("GNGGA,\(clock),5231.00000,N,01323.00000,E,1,10,0.80,38.0,M,39.5,M,,"),
    ]
    return satellites
      ? fix + [sentence("GPGSV,1,1,04,01,40,083,46,02,17,308,41,12,07,344,39,14,22,228,45")] : fix
  }

  private static func decode(
    _ decoder: inout ReceiverDecoder, _ bytes: [UInt8], at milliseconds: Int64
  ) -> Int {
    var epochs = 0
    bytes.withUnsafeBytes { bytes in
      decoder.decode(bytes, at: Moment(nanoseconds: milliseconds * 1_000_000)) {
        if case .epoch = $0 { epochs += 1 }
      }
    }
    return epochs
  }

  @Test(arguments: [false, true])
  func aLearnedEpochIsMeasuredWithoutTheBytesAroundIt(hasSatellites: Bool) {
    var decoder = ReceiverDecoder()
    let length = Self.burst(10, satellites: false).joined().count
    var measured = 0
    for second in 0..<12 {
      let bytes = Array(Self.burst(second, satellites: hasSatellites).joined())
      let read = Int64(second) * 1000 + 300
      guard Self.decode(&decoder, bytes, at: read) == 1, second > 4 else { continue }
      measured += 1
      let span = decoder.lastSpan
      // The line end of the sentence before may count, or that of the last one may not.
      #expect(span.map { abs($0.bytes - length) <= 2 } == true)
      #expect(span?.closed == Moment(nanoseconds: read * 1_000_000))
    }
    #expect(measured == 7)
  }

  @Test func piecesOfAnEpochKeepTheTimeOfTheFirstMessage() {
    var decoder = ReceiverDecoder()
    for second in 0..<6 {
      _ = Self.decode(
        &decoder, Array(Self.burst(second, satellites: false).joined()), at: Int64(second) * 1000)
    }
    let pieces = Self.burst(6, satellites: false)
    #expect(Self.decode(&decoder, pieces[0], at: 6100) == 0)
    #expect(Self.decode(&decoder, pieces[1], at: 6170) == 1)
    let span = decoder.lastSpan
    #expect(span?.opened == Moment(nanoseconds: 6_100_000_000))
    #expect(span?.closed == Moment(nanoseconds: 6_170_000_000))
    #expect(span?.firstBytes == pieces[0].count)
    #expect(span?.bytes == pieces[0].count + pieces[1].count)
  }

  @Test func anEpochClosedByTheNextOneOrBySilenceHasNoSpan() {
    var decoder = ReceiverDecoder()
    #expect(Self.decode(&decoder, Self.burst(0, satellites: false)[0], at: 0) == 0)
    #expect(Self.decode(&decoder, Self.burst(1, satellites: false)[0], at: 1000) == 1)
    #expect(decoder.lastSpan == nil)
    var closed = 0
    decoder.handleTimeout(now: Moment(nanoseconds: 9_000_000_000)) {
      if case .epoch = $0 { closed += 1 }
    }
    #expect(closed == 1)
    #expect(decoder.lastSpan == nil)
  }

  @Test func aBinarySolutionIsOneMessage() {
    var decoder = ReceiverDecoder()
    var pvt = PVT()
    for second in 0..<6 {
      pvt.second = UInt8(second)
      pvt.iTOW = UInt32(second) * 1000
      _ = Self.decode(&decoder, pvt.frame, at: Int64(second) * 1000)
    }
    #expect(decoder.lastSpan?.bytes == pvt.frame.count)
  }
}
