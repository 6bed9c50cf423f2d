import Foundation
import GNSSProtocol
import Quantities
import TestSupport
import Testing

@Suite struct SummaryTests {
  static func line(_ bytes: [UInt8]) -> String {
    var summary = Summary()
    var bench = Bench()
    bench.send(bytes)
    bench.finish()
    for fix in bench.fixes { summary.add(fix) }
    return line(summary, bench.decoder.statistics, bytes: UInt64(bytes.count))
  }

  static func line(_ summary: Summary, _ statistics: DecodeStatistics = .init(), bytes: UInt64 = 0) -> String
  {
    var text: [UInt8] = []
    summary.append(statistics, bytes: bytes, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  @Test func emptyInputHasEmptyCounts() {
    #expect(
      Self.line([])
        == #"{"class":"SUMMARY","bytes":0,"messages":{},"talkers":{},"errors":{"checksum":0,"unchecked":0,"#
        + #""discarded_bytes":0},"epochs":0,"fixes":0,"kinds":{},"accuracy":{},"seconds":0}"# + "\n")
  }

  @Test func aStreamIsCountedByMessageTalkerKindAndAccuracy() {
    var later = PVT()
    (later.second, later.nano) = (9, 250_000_000)
    let bytes =
      PVT().frame + later.frame + sentence("GNGSV,1,1,00") + sentence("GPGSV,1,1,00")
      + sentence("PMTK010,001") + Array("$GPGLL,,,,,,V,N*65\r\n$GPGLL\r\n".utf8)
    #expect(
      Self.line(bytes)
        == #"{"class":"SUMMARY","bytes":\#(bytes.count),"messages":{"GSV":2,"NAV-PVT":2,"vendor sentence":1},"#
        + #""talkers":{"GN":1,"GP":1},"errors":{"checksum":1,"unchecked":1,"discarded_bytes":24},"epochs":2,"fixes":2,"#
        + #""kinds":{"3D":2},"accuracy":{"receiver":2},"first":"2025-04-11T23:14:08.000Z","#
        + #""last":"2025-04-11T23:14:09.250Z","seconds":1.25}"# + "\n")
  }

  /// The line of a decoder that emits no epochs, fed in pieces.
  static func countedLine(_ bytes: [UInt8]) -> (line: String, epochsGiven: Int) {
    var decoder = ReceiverDecoder()
    decoder.reportsEpochs = false
    var epochsGiven = 0
    let emit = { (reception: Reception) in if reception.fix != nil { epochsGiven += 1 } }
    bytes.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: 1000) {
        let piece = bytes[start..<min(start + 1000, bytes.count)]
        decoder.decode(UnsafeRawBufferPointer(rebasing: piece), at: .zero, emit)
      }
    }
    decoder.finish(emit)
    return (line(decoder.summary, decoder.statistics, bytes: UInt64(bytes.count)), epochsGiven)
  }

  @Test func aDecoderThatEmitsNoEpochsSummarisesThem() {
    var later = PVT()
    (later.second, later.nano) = (9, 250_000_000)
    var unfixed = PVT()
    (unfixed.second, unfixed.flags) = (10, 0)
    let bytes =
      PVT().frame + later.frame + unfixed.frame
      + sentence("GPRMC,231411.00,A,4717.11,N,00833.91,E,0.1,,110425,,,A")
      + sentence("GPGGA,231411.00,4717.11,N,00833.91,E,1,08,1.1,499.6,M,48.0,M,,")
    let (line, epochsGiven) = Self.countedLine(bytes)
    #expect(line == Self.line(bytes))
    #expect(line.contains(#""epochs":4,"fixes":3,"kinds":{"3D":3},"accuracy":{"dilution":1,"receiver":2}"#))
    #expect(epochsGiven == 0)
  }

  @Test func onlyTheFirstAndTheLastDateAreCorrected() {
    var summary = Summary()
    for milliseconds: Int64 in [1000, 2000, 3000] {
      var fix = Fix()
      fix.timestamp = Timestamp(milliseconds: milliseconds)
      summary.add(fix)
    }
    summary.correctDates { Timestamp(milliseconds: $0.milliseconds + 86_400_000) }
    #expect(
      Self.line(summary).contains(
        #""first":"1970-01-02T00:00:01.000Z","last":"1970-01-02T00:00:03.000Z","seconds":0}"#))
  }

  @Test func everyKindAndEverySourceHasACount() {
    var summary = Summary()
    for kind in FixKind.allCases where kind != .none {
      for source in AccuracySource.allCases {
        var fix = Fix()
        (fix.kind, fix.accuracySource) = (kind, source)
        summary.add(fix)
      }
    }
    let line = Self.line(summary)
    for kind in FixKind.allCases where kind != .none {
      #expect(line.contains(#""\#(kind.word)":\#(AccuracySource.allCases.count)"#))
    }
    for source in AccuracySource.allCases {
      #expect(line.contains(#""\#(source.word)":\#(FixKind.allCases.count - 1)"#))
    }
  }

  struct Span: Sendable, CustomTestStringConvertible {
    let name: String
    let times: [Int32?]
    let seconds: String
    var testDescription: String { name }
  }

  @Test(arguments: [
    Span(name: "steps", times: [0, 1000, 2500], seconds: "2.5"),
    Span(name: "one epoch", times: [5000], seconds: "0"),
    Span(name: "midnight", times: [86_399_000, 0, 500], seconds: "1.5"),
    Span(name: "leap second", times: [86_399_000, 86_400_000, 0, 1000], seconds: "2"),
    Span(name: "a step back", times: [10_000, 9000, 11_000], seconds: "2"),
    Span(name: "two hours", times: [0, 7_200_000], seconds: "7200"),
    Span(name: "above two hours", times: [0, 7_200_001, 7_201_001], seconds: "1"),
    Span(name: "two hours over midnight", times: [86_399_000, 7_199_000], seconds: "7200"),
    Span(name: "above two hours over midnight", times: [86_399_000, 7_199_001], seconds: "0"),
    Span(name: "epochs without a time between", times: [nil, 1000, nil, 3000], seconds: "2"),
  ])
  func secondsAreTheForwardStepsOfTheTimeOfDay(_ span: Span) {
    var summary = Summary()
    for time in span.times {
      var fix = Fix()
      fix.millisecondOfDay = time
      summary.add(fix)
    }
    #expect(Self.line(summary).hasSuffix(#","accuracy":{},"seconds":\#(span.seconds)}"# + "\n"))
  }

  @Test func kindsCountOnlyUsablePositionsAndDatesAllEpochs() throws {
    var summary = Summary()
    for (index, kind) in [FixKind.none, .twoDimensional, .differential, .none].enumerated() {
      var fix = Fix()
      fix.kind = kind
      fix.accuracySource = kind == .differential ? .errorEllipse : .none
      fix.timestamp = Timestamp(milliseconds: Int64(index) * 1000)
      summary.add(fix)
    }
    #expect(
      Self.line(summary).hasSuffix(
        #""kinds":{"2D":1,"differential":1},"accuracy":{"none":1,"error ellipse":1},"first":"1970-01-01T00:00:00.000Z","#
          + #""last":"1970-01-01T00:00:03.000Z","seconds":0}"# + "\n"))
  }

  struct Recording: Sendable {
    let name: String
    let seconds: ClosedRange<Double>
    let fixes: Int
  }

  @Test(
    .enabled(
      if: SharedRecordings.arePresent,
      "recordings are absent: put them in ../shared, or name their folder in OUTRIDER_SHARED"),
    arguments: [
      Recording(name: "sirf-gt31-110min.nmea", seconds: 6607...6618, fixes: 4161),
      Recording(name: "gga-only-midnight.nmea", seconds: 495...501, fixes: 500),
      Recording(name: "ublox-f9k-drive-29min.nmea", seconds: 1722...1734, fixes: 1654),
      Recording(name: "derived-newyear-2026.nmea", seconds: 58...62, fixes: 61),
    ])
  func theSummaryHasTheTimeSpanOfTheRecording(_ recording: Recording) throws {
    let bytes = [UInt8](try SharedRecordings.contents(of: "gnss/\(recording.name)"))
    let line = Self.line(bytes)
    #expect(Self.countedLine(bytes).line == line)
    let summary = try #require(try objects(line).first)
    #expect(recording.seconds.contains(try #require(summary["seconds"] as? Double)))
    #expect(summary["fixes"] as? Int == recording.fixes)
    let kinds = try #require(summary["kinds"] as? [String: Int])
    let sources = try #require(summary["accuracy"] as? [String: Int])
    #expect(kinds.values.reduce(0, +) == recording.fixes)
    #expect(sources.values.reduce(0, +) == recording.fixes)
  }
}
