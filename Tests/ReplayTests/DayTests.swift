import Quantities
import Testing
import GNSSProtocol
@testable import Replay
import Simulation

@Suite struct DayTests {
  @Test func aDayHas24HoursAndEndsStationaryAtTheLastPosition() {
    let day = Day(MadeUpDay().move(600, speed: 10).track)
    #expect(day.positions.count == 86_400)
    #expect(day.knownSeconds == 86_400)
    #expect(!day.isMoving[5000])
    #expect(GeoPoint.metres(day.positions[86_399], day.track.rows[600].position) < 15)
  }

  @Test func aGapWithCloseEndsIsAStopAtTheFirstEnd() {
    let day = Day(MadeUpDay().move(300, speed: 5).hole(1000, metres: 80).move(300, speed: 5).track)
    #expect(day.holes.isEmpty)
    #expect(!day.isMoving[800])
    #expect(GeoPoint.metres(day.positions[800], day.track.rows[300].position) < 20)
  }

  @Test func anyOtherGapIsUnknownAndTheNextMinuteDoesNotCount() {
    let day = Day(MadeUpDay().move(300, speed: 5).hole(1000, metres: 800).move(300, speed: 5).track)
    #expect(day.holes == [300...1300])
    #expect(day.knownSeconds == 85_400)
    #expect(!day.isKnown[800])
    #expect(!day.counts[1330])
    #expect(day.counts[1400])
  }

  @Test func aStationaryPeriodHasOnePositionUntilTheDeparture() {
    let day = Day(
      MadeUpDay().move(300, speed: 10).stop(400).move(300, speed: 10).stop(100).move(100, speed: 10).track)
    #expect(day.isMoving[100])
    #expect(day.positions[450] == day.positions[550])
    #expect(day.departures.count == 1)
    #expect(day.departures.allSatisfy { (680...701).contains($0) })
  }

  @Test func theColumnsOfARecordingAreRead() throws {
    let track = try RecordedTrack(
      csv: "lat,t_unix,lon,alt_m,label,sky\n52.5,10,13,0,driving,1\n52.6,12,13,,,0\n".utf8)
    #expect(track.rows.map(\.time) == [10, 12])
    #expect(track.rows.map(\.hasReception) == [true, false])
    #expect(track.rows[1].position.latitude == 52.6)
  }

  @Test func rowsOutOfOrderAreSortedAndRepeatsAreDropped() throws {
    let track = try RecordedTrack(csv: "t_unix,lat,lon\n3,1,1\n1,2,2\n3,9,9\n".utf8)
    #expect(track.rows.map(\.time) == [1, 3])
    #expect(track.rows[1].position.latitude == 1)
  }

  @Test func onlyADayAndTheNextRowAreKept() throws {
    let rows = (0..<5000).map { "\(Double($0) * 60 + 100),1,\(Double($0) / 1000)\n" }
    for text in [rows.joined(), rows.reversed().joined()] {
      let track = try RecordedTrack(csv: ("t_unix,lat,lon\n" + text).utf8)
      #expect(track.rows.count == 1442 && track.rows.first?.time == 100 && track.rows.last?.time == 86_560)
    }
  }

  @Test func byteOrderMarksQuotesAndPiecesChangeNothing() throws {
    let plain = "t_unix,lat,lon\n1,2,3\n4,5,6"
    let wanted = try RecordedTrack(csv: plain.utf8)
    let odd = Array("\u{FEFF}\"t_unix\", lat,lon\r\n\"1\",2,3\r\n4,5,\"6\"\r\n".utf8)
    for piece in 1...odd.count {
      var reading = TrackReading()
      for start in stride(from: 0, to: odd.count, by: piece) {
        try reading.take(odd[start..<min(start + piece, odd.count)])
      }
      #expect(try reading.finish() == wanted)
    }
  }

  @Test(
    arguments: [
      ("", .empty), ("t_unix,lat,lon\n", .empty), ("t_unix,lat\n", .missingColumn(line: 1, column: "lon")),
      ("t_unix,lat,lon\n1,2\n", .missingColumn(line: 2, column: "lon")),
      ("t_unix,lat,lon\n1,91,0\n", .notANumber(line: 2, column: "lat", got: "91")),
      ("t_unix,lat,lon\n1700000000,1,0\n0,1,0\n", .timeLeaps(line: 3, got: "0")),
      ("t_unix,lat,lon\nnan,1,0\n", .notANumber(line: 2, column: "t_unix", got: "nan")),
    ] as [(String, TrackError)])
  func anInvalidRecordingIsRejectedWithItsLine(_ text: String, _ error: TrackError) {
    #expect(throws: error) { try RecordedTrack(csv: text.utf8) }
  }

  @Test(arguments: [
    (0, "0.000"), (1.0005, "1.001"), (-0.25, "-0.250"), (1_700_000_000.125, "1700000000.125"),
  ])
  func numbersAreWrittenWithTheirDecimals(_ value: Double, _ text: String) {
    #expect(value.text(decimals: 3) == text)
  }

  @Test func omissionsAreReported() {
    func track(_ fixes: [(time: Double, latitude: Double)]) -> RecordedTrack {
      var reading = TrackReading()
      for fix in fixes {
        try? reading.take(RecordedTrack.Fix(time: fix.time, latitude: fix.latitude, longitude: 13))
      }
      return (try? reading.finish()) ?? RecordedTrack(rows: [])
    }
    let whole = track([(0, 52), (30, 52), (60, 52)])
    #expect(Day(whole).omissions.isEmpty)
    let pierced = Day(track([(0, 52), (3600, 52.1), (7200, 52.1)])).omissions
    #expect(pierced == ["1 gap, 1.0 h in total: excluded from charge and error"])
    let long = Day(track((0...30).map { (Double($0) * 3600, 52) })).omissions
    #expect(long.count == 1 && long[0].contains("first 24 hours"))
  }
}
