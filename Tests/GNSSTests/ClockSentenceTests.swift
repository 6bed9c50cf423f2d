import GNSSProtocol
import Quantities
import Testing

/// Synthetic bursts, made like those of real receivers; there is no recording of them.
///
/// The order is that of a Trimble board: GGA, GST, ZDA, GSA, RMC, GLL, GNS. The ZDA has its time of
/// transmission.
struct TrimbleBurst {
  enum Part: CaseIterable {
    case gga, gst, zda, gsa, rmc, gll, gns
  }

  /// Sentences in the order of transmission.
  var parts: [Part] = Part.allCases
  /// Milliseconds by which the time of a sentence differs from that of the position.
  var delays: [Part: Int] = [.zda: 30]
  /// An additional sentence of another kind at the end, with `TIME`, `PLACE` and `DATE` as placeholders, and
  /// its delay.
  var other: (body: String, delay: Int)?

  /// The burst for the position at `milliseconds` after midnight at the start of 2025-12-31.
  func bytes(at milliseconds: Int) -> [UInt8] {
    let usual = parts.flatMap { sentence(body(of: $0, at: milliseconds)) }
    guard let other else { return usual }
    let moment = milliseconds + other.delay
    return usual
      + sentence(
        other.body.replacing("TIME", with: Self.text((moment + 86_400_000) % 86_400_000))
          .replacing("PLACE", with: Self.coordinates(at: milliseconds))
          .replacing("DATE", with: moment >= 86_400_000 ? "010126" : "311225"))
  }

  private static func coordinates(at milliseconds: Int) -> String {
    "5000.\(1000 + milliseconds / 10 % 9000),N,01000.0,E"
  }

  private func body(of part: Part, at milliseconds: Int) -> String {
    let moment = milliseconds + (delays[part] ?? 0)
    let isNewYear = moment >= 86_400_000
    let time = Self.text(moment % 86_400_000)
    let coordinates = Self.coordinates(at: milliseconds)
    switch part {
    case .gga: return "GPGGA,\(time),\(coordinates),1,08,1.1,120.0,M,45.0,M,,"
    case .gst: return "GPGST,\(time),1,,,,0.3,0.4,0.7"
    case .zda: return "GPZDA,\(time),\(isNewYear ? "01,01,2026" : "31,12,2025"),00,00"
    case .gsa: return "GPGSA,A,3,01,,,,,,,,,,,,2.0,1.1,1.6"
    case .rmc: return "GPRMC,\(time),A,\(coordinates),10.0,90.0,\(isNewYear ? "010126" : "311225"),,,A"
    case .gll: return "GPGLL,\(coordinates),\(time),A,A"
    case .gns: return "GNGNS,\(time),\(coordinates),AA,08,1.1,120.0,45.0,,"
    }
  }

  /// `hhmmss.ss`
  private static func text(_ milliseconds: Int) -> String {
    var text: [UInt8] = []
    text.appendPadded(milliseconds / 3_600_000, digits: 2)
    text.appendPadded(milliseconds / 60_000 % 60, digits: 2)
    text.appendPadded(milliseconds / 1000 % 60, digits: 2)
    text.append(UInt8(ascii: "."))
    text.appendPadded(milliseconds % 1000 / 10, digits: 2)
    return String(decoding: text, as: UTF8.self)
  }

  /// Milliseconds since 1970 at the start of 2025-12-31.
  static let start: Int64 = 1_767_139_200_000
}

@Suite struct ClockSentenceTests {
  /// The fixes of bursts at these times. On a live line they are `step` milliseconds apart, else without a
  /// pause.
  static func fixes(_ burst: TrimbleBurst, at times: [Int], step: Int? = nil) -> [Fix] {
    var bench = Bench()
    for time in times {
      bench.send(burst.bytes(at: time))
      if let step { bench.wait(.milliseconds(step)) }
    }
    bench.finish()
    return bench.fixes
  }

  /// Expects one dated fix for each time; the first `undated` of them have no date.
  static func expect(_ fixes: [Fix], at times: [Int], undated: Int = 0) {
    #expect(fixes.map { $0.millisecondOfDay.map(Int.init) } == times.map { $0 % 86_400_000 })
    let dates = times.map { Int64?.some(TrimbleBurst.start + Int64($0)) }
    #expect(
      fixes.map { $0.timestamp?.milliseconds }
        == [Int64?](repeating: nil, count: undated) + dates.dropFirst(undated))
    #expect(fixes.allSatisfy { $0.kind != .none })
  }

  /// Times across midnight at the end of the year.
  static func times(step: Int, count: Int = 40) -> [Int] {
    (0..<count).map { 86_400_000 - count / 2 * step + $0 * step }
  }

  @Test(arguments: [nil, 1000])
  func aClockWithItsTransmissionTimeDatesTheEpochAndDoesNotSplitIt(pause: Int?) {
    let times = Self.times(step: 1000, count: 315)
    let fixes = Self.fixes(TrimbleBurst(), at: times, step: pause)
    Self.expect(fixes, at: times)
    #expect(fixes.allSatisfy { $0.speed != nil && $0.altitude == 120 && $0.accuracySource == .errorEllipse })
  }

  @Test(arguments: TrimbleBurst.Part.allCases.indices, [10, 20, 30, 400, 990])
  func thePositionOfTheClockInTheBurstDoesNotMatter(index: Int, delay: Int) {
    var burst = TrimbleBurst(delays: [.zda: delay])
    burst.parts.removeAll { $0 == .zda }
    burst.parts.insert(.zda, at: index)
    let times = Self.times(step: 1000)
    for pause in [nil, 1000] { Self.expect(Self.fixes(burst, at: times, step: pause), at: times) }
  }

  @Test(arguments: TrimbleBurst.Part.allCases.indices.dropLast(), [0, 30, 400])
  func aClockWithoutRMCDatesEveryEpoch(index: Int, delay: Int) {
    var burst = TrimbleBurst(delays: [.zda: delay])
    burst.parts.removeAll { $0 == .zda || $0 == .rmc }
    burst.parts.insert(.zda, at: index)
    let times = Self.times(step: 1000)
    for pause in [nil, 1000] { Self.expect(Self.fixes(burst, at: times, step: pause), at: times) }
  }

  @Test(arguments: [100, 200], [0, 20, 30])
  func aNewTimeClosesTheEpochOfAFastReceiverWhereverItsClockIs(step: Int, delay: Int) {
    for index in TrimbleBurst.Part.allCases.indices {
      var burst = TrimbleBurst(delays: [.zda: delay])
      burst.parts.removeAll { $0 == .zda }
      burst.parts.insert(.zda, at: index)
      let times = Self.times(step: step)
      for pause in [nil, step] { Self.expect(Self.fixes(burst, at: times, step: pause), at: times) }
    }
  }

  @Test(arguments: [100, 200], [0, 20, 130])
  func aFastReceiverWithoutRMCIsDatedByItsClock(step: Int, delay: Int) {
    let burst = TrimbleBurst(parts: [.zda, .gga, .gsa], delays: [.zda: delay])
    let times = Self.times(step: step)
    for pause in [nil, step] { Self.expect(Self.fixes(burst, at: times, step: pause), at: times) }
  }

  @Test func aClockOncePerSecondDatesTheFollowingFastEpochs() {
    let times = Self.times(step: 100, count: 60)
    var bench = Bench()
    for time in times {
      let hasClock = time % 1000 == 0
      bench.send(TrimbleBurst(parts: hasClock ? [.gga, .zda] : [.gga]).bytes(at: time))
      bench.wait(.milliseconds(100))
    }
    bench.finish()
    Self.expect(bench.fixes, at: times)
  }

  /// A position shortly before midnight, and its clock sentence after it.
  @Test(arguments: [[TrimbleBurst.Part.gga, .zda], [.zda, .gga], [.gga, .gst, .zda, .gll]])
  func aClockAfterMidnightDatesThePositionBeforeMidnight(parts: [TrimbleBurst.Part]) {
    let burst = TrimbleBurst(parts: parts)
    let times = (0..<10).map { 86_394_990 + $0 * 1000 }
    for pause in [nil, 1000] { Self.expect(Self.fixes(burst, at: times, step: pause), at: times) }
  }

  @Test(arguments: [true, false])
  func aClockForTheNextPulseDatesTheNextEpoch(hasRMC: Bool) {
    var burst = TrimbleBurst(parts: [.gga, .gst, .gsa, .zda], delays: [.zda: 1000])
    if hasRMC { burst.parts.insert(.rmc, at: 1) }
    let times = Self.times(step: 1000)
    for pause in [nil, 1000] {
      var fixes = Self.fixes(burst, at: times, step: pause)
      // The last clock sentence announces an epoch that does not come.
      let announced = fixes.popLast()
      #expect(announced?.kind == Fix().kind && announced?.latitude == nil)
      Self.expect(fixes, at: times, undated: hasRMC ? 0 : 1)
    }
  }

  @Test func clocksWithoutPositionsAreEpochsWithoutAFix() {
    let burst = TrimbleBurst(parts: [.zda])
    for pause in [nil, 1000] {
      let fixes = Self.fixes(burst, at: [50_000_000, 50_001_000, 50_002_000], step: pause)
      #expect(fixes.map(\.millisecondOfDay) == [50_000_030, 50_001_030, 50_002_030])
      #expect(fixes.allSatisfy { $0.kind == .none && $0.timestamp != nil })
    }
  }

  @Test(arguments: [-10, 10])
  func jitterOfAHundredthBetweenSentencesDoesNotSplitAnEpoch(jitter: Int) {
    for part in [TrimbleBurst.Part.rmc, .gll, .gns] {
      let burst = TrimbleBurst(delays: [part: jitter])
      let times = Self.times(step: 1000)
      for pause in [nil, 1000] {
        let fixes = Self.fixes(burst, at: times, step: pause)
        Self.expect(fixes, at: times)
        #expect(fixes.allSatisfy { $0.speed != nil && $0.altitude == 120 })
      }
    }
  }

  @Test func aHundredthSeparatesEpochsAt100Hz() {
    let burst = TrimbleBurst(parts: [.gga, .rmc], delays: [:])
    let times = Self.times(step: 10, count: 200)
    Self.expect(Self.fixes(burst, at: times), at: times)
  }

  @Test(arguments: [TrimbleBurst.Part.gst], [-30, 20, 400])
  func errorSentencesWithTheirTransmissionTimeDoNotSplitAnEpoch(part: TrimbleBurst.Part, delay: Int) {
    let burst = TrimbleBurst(delays: [part: delay])
    let times = Self.times(step: 1000)
    for pause in [nil, 1000] {
      let fixes = Self.fixes(burst, at: times, step: pause)
      Self.expect(fixes, at: times)
      #expect(fixes.allSatisfy { $0.speed != nil && $0.accuracySource == .errorEllipse })
    }
  }

  /// GBS belongs to the epoch it came with; vendor sentences have the time of the position.
  @Test(arguments: [
    ("GPGBS,TIME,3.0,4.0,3.1,,,,", [-30, 10, 20, 400]),
    ("GPGRS,TIME,1,0.1,0.2,,,,,,,,,,", [-30, 10, 20, 400]),
    ("PUBX,00,TIME,PLACE,165.0,G3,2.1,2.0,36.0,90.0,0.0,,1.1,1.2,0.8,8,0,0", [-10, 0, 10]),
    ("PSTI,030,TIME,A,PLACE,120.0,0.0,0.0,0.0,DATE,A,0.0,0.0", [-10, 0, 10]),
  ])
  func aSentenceWithAnotherTimeDoesNotSplitAnEpoch(_ row: (body: String, delays: [Int])) {
    for delay in row.delays {
      let burst = TrimbleBurst(parts: [.gga, .gsa, .rmc], other: (row.body, delay))
      let times = Self.times(step: 1000)
      for pause in [nil, 1000] {
        let fixes = Self.fixes(burst, at: times, step: pause)
        Self.expect(fixes, at: times)
        #expect(fixes.allSatisfy { $0.speed != nil }, "\(row.body) \(delay)")
      }
    }
  }

  /// The solution of an epoch before midnight, and the sentence of the same epoch after rounding.
  @Test func bothProtocolsGiveOneFixAtMidnight() {
    var solution = PVT()
    (solution.year, solution.month, solution.day) = (2025, 12, 31)
    (solution.hour, solution.minute, solution.second, solution.nano) = (23, 59, 59, 996_000_000)
    let text = sentences("GNGGA,000000.00,5000.0,N,01000.0,E,1,12,0.76,4.4,M,-30.0,M,,")
    let fixes = decode(solution.frame + text)
    #expect(fixes.map(\.time) == ["2025-12-31T23:59:59.996Z"])
  }

  @Test func aDateFromAfterMidnightIsCorrectedToTheEpoch() {
    let fixes = decode(
      sentences(
        """
        GPGGA,235959.99,5000.0,N,01000.0,E,1,08,1.1,120.0,M,45.0,M,, \
        GPRMC,000000.00,A,5000.0,N,01000.0,E,1.0,90.0,010126,,,A
        """))
    #expect(fixes.map(\.time) == ["2025-12-31T23:59:59.990Z"])
  }

  @Test func satellitesOfAnEpochWithJitterAreOneReport() {
    var decoder = ReceiverDecoder()
    decoder.reportsSatellites = true
    var satelliteReports: [SatelliteReport] = []
    for second in 12..<15 {
      let bytes = sentences(
        """
        GPGGA,1011\(second).00,5000.0,N,01000.0,E,1,08,1.1,120.0,M,45.0,M,, GPGSV,1,1,01,05,04,007,38 \
        GPRMC,1011\(second).01,A,5000.0,N,01000.0,E,1.0,90.0,010126,,,A GPGSA,A,3,05,,,,,,,,,,,,2.0,1.1,1.6
        """)
      bytes.withUnsafeBytes {
        decoder.decode($0, at: .zero) {
          if case .satelliteReport(let satelliteReport) = $0 { satelliteReports.append(satelliteReport) }
        }
      }
    }
    decoder.finish {
      if case .satelliteReport(let satelliteReport) = $0 { satelliteReports.append(satelliteReport) }
    }
    #expect(satelliteReports.map(\.millisecondOfDay) == [36_672_000, 36_673_000, 36_674_000])
    #expect(satelliteReports.allSatisfy { $0.satellites.count == 1 && $0.satellites.allSatisfy(\.isUsed) })
  }
}
