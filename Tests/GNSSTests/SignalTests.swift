import Testing

/// The signal strength of the best satellite, from the reports of satellites in view.
@Suite struct SignalTests {
  private static func strongest(_ bytes: [UInt8], isEnabled: Bool = true) -> UInt8? {
    var bench = Bench()
    bench.decoder.reportsSignalStrength = isEnabled
    bench.send(bytes)
    return bench.decoder.takeStrongestSignal()
  }

  /// NAV-SAT of GPS satellites with these signals.
  private static func navSAT(_ signals: [UInt8]) -> [UInt8] {
    let head: [UInt8] = [0, 0, 0, 0, 1, UInt8(signals.count), 0, 0]
    let blocks = signals.enumerated().flatMap {
      [0, UInt8($0.offset + 1), $0.element] + [UInt8](repeating: 0, count: 9)
    }
    return ubx(0x01, 0x35, head + blocks)
  }

  private static func navSVINFO(_ signals: [UInt8]) -> [UInt8] {
    let head: [UInt8] = [0, 0, 0, 0, UInt8(signals.count), 0, 0, 0]
    let blocks = signals.enumerated().flatMap {
      [UInt8($0.offset), UInt8($0.offset + 1), 0, 0, $0.element] + [UInt8](repeating: 0, count: 7)
    }
    return ubx(0x01, 0x30, head + blocks)
  }

  static let views: [(bytes: [UInt8], strongest: UInt8?)] = [
    (
      sentences("GPGSV,2,1,05,02,10,020,30,03,11,021,,04,12,022,42,05,13,023,33 GPGSV,2,2,05,40,14,024,34"),
      42
    ),
    (sentences("GPGSV,1,1,01,02,10,020,17 GLGSV,1,1,01,70,15,360,35,1"), 35),
    (sentences("GPGSV,1,1,00"), 0), (sentences("GPGSV,1,1,01,02,10,020,"), 0),
    (sentences("PQGSV,1,1,01,02,10,020,31,4,1"), 31),
    (sentences("GPRMC,,V,,,,,,,,,,N GPGGA,,,,,,0,,,,,,,,"), nil), (sentences("GPGSV,1,1"), nil),
    (navSAT([12, 47, 0]), 47), (navSAT([]), 0), (navSAT([0, 0]), 0), (navSVINFO([21, 9]), 21),
    (navSVINFO([]), 0), (ubx(0x01, 0x35, [0, 0, 0, 0, 1, 9, 0, 0]), nil),
  ]

  @Test(arguments: views.indices)
  func theStrongestSatelliteIsRecorded(_ index: Int) {
    #expect(Self.strongest(Self.views[index].bytes) == Self.views[index].strongest)
    #expect(Self.strongest(Self.views[index].bytes, isEnabled: false) == nil, "nobody asked")
  }

  @Test func aSignalIsReportedOnlyOnce() {
    var bench = Bench()
    bench.decoder.reportsSignalStrength = true
    bench.send(Self.navSAT([40]))
    #expect(bench.decoder.takeStrongestSignal() == 40)
    #expect(bench.decoder.takeStrongestSignal() == nil)
    bench.send(Self.navSAT([25]))
    bench.decoder.reportsSignalStrength = false
    bench.decoder.reportsSignalStrength = true
    #expect(bench.decoder.takeStrongestSignal() == nil)
  }
}
