import Formats
import Foundation
import Quantities
import Records
import Testing

/// Visits, trips, actions and the trip of a location, key by key as in the protocol.
@Suite struct OverlandTripTests {
  static let start = Timestamp(milliseconds: 1_772_359_331_400)  // 2026-03-01T10:02:11Z
  static let end = OverlandFeatureTests.time  // 2026-03-01T10:15:02Z

  static func record(_ body: LogRecord.Body, time: Timestamp? = end) -> LogRecord {
    LogRecord(moment: .zero, time: time, timeQuality: .receiver, body: body)
  }

  static func text(_ record: LogRecord) -> String? {
    let batch = OverlandBatch([StoredRecord(id: RecordID(1), boot: 1, record: record)])
    guard batch.count == 1 else { return nil }
    return String(
      decoding: batch.locations.dropFirst(#"{"locations":["#.utf8.count).dropLast(), as: UTF8.self)
  }

  static let device = DeviceState(deviceID: "van-7", batteryState: .full, batteryPercent: 100)
  static let deviceText = #""device_id":"van-7","wifi":"","battery_state":"full","battery_level":1"#

  static func van() throws -> LocationRecord { try #require(OverlandFeatureTests.van()) }

  static func wholeVan() throws -> LocationRecord {
    var van = try van()
    van.trip = .utc(start)
    van.statistics = TrackingStatistics(
      pauses: false, activity: .car, desiredAccuracy: .best, mode: .standard)
    return van
  }

  /// The reference's example of a location within a trip, byte for byte.
  static let vanText =
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.3619121,52.5418194]},"#
    + #""properties":{"timestamp":"2026-03-01T10:15:02Z","altitude":39,"speed":13.47,"course":87,"#
    + #""horizontal_accuracy":4,"vertical_accuracy":7,"speed_accuracy":0.31,"course_accuracy":1.75,"#
    + #""motion":["driving"],"device_id":"van-7","wifi":"","battery_state":"full","battery_level":1"#
  static let wholeVanText =
    vanText + #","trip_id":"2026-03-01T10:02:11Z","pauses":false,"activity":"automotive_navigation","#
    + #""desired_accuracy":-1,"tracking_mode":1,"locations_in_payload":1}}"#

  @Test func aRunningTripHasItsStoredStartAndItsLastFix() throws {
    let position = TripRecord.Location(try Self.wholeVan(), time: .utc(Self.end))
    var text: [UInt8] = []
    OverlandRunningTrip(
      mode: .bicycle, start: Self.start, distanceMillimetres: 0, startLocation: position,
      currentLocation: position
    ).append(to: &text)
    #expect(
      String(decoding: text, as: UTF8.self)
        == #"{"mode":"bicycle","start":"2026-03-01T10:02:11Z","distance":0,"start_location":\#(Self.wholeVanText),"#
        + #""current_location":\#(Self.vanText)}}}"#)
  }

  @Test func aTripIsWrittenByteForByte() throws {
    var trip = TripRecord(
      mode: .car, start: .utc(Self.start), end: .utc(Self.end), durationMilliseconds: 771_599,
      distanceMillimetres: 9_321_600, isManual: false, ending: .stop, device: Self.device)
    trip.startLocation = TripRecord.Location(try Self.wholeVan(), time: .utc(Self.end))
    trip.endLocation = TripRecord.Location(try Self.wholeVan(), time: .utc(Self.end))
    trip.steps = 412
    // The record was written three minutes after the arrival.
    let later = Self.end + .seconds(180)
    #expect(
      Self.text(Self.record(.trip(trip), time: later))
        == #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.3619121,52.5418194]},"#
        + #""properties":{"timestamp":"2026-03-01T10:15:02Z","type":"trip","mode":"car","#
        + #""start":"2026-03-01T10:02:11Z","end":"2026-03-01T10:15:02Z","start_location":\#(Self.wholeVanText),"#
        + #""end_location":\#(Self.vanText)}},"duration":771.599,"distance":9321.6,"#
        + #""stopped_automatically":true,"steps":412,\#(Self.deviceText)}}"#)
    trip.ending = .asked
    trip.startLocation = nil
    trip.steps = nil
    let text = try #require(Self.text(Self.record(.trip(trip))))
    #expect(text.contains(#""start_location":null,"end_location":{"#))
    #expect(text.contains(#""stopped_automatically":false,"steps":0,"#))
  }

  @Test func aReconstructedTripIsMarkedAndSentOnRequestOnly() throws {
    var trip = TripRecord(
      mode: .car, start: .utc(Self.start), end: .utc(Self.end), durationMilliseconds: 771_000,
      distanceMillimetres: 1_400_000, isManual: false, ending: .noFix, device: Self.device)
    trip.startLocation = TripRecord.Location(try Self.wholeVan(), time: .utc(Self.start))
    trip.endLocation = TripRecord.Location(try Self.wholeVan(), time: .utc(Self.end))
    let ordinary = StoredRecord(id: RecordID(1), boot: 1, record: Self.record(.trip(trip)))
    trip.isReconstructed = true
    let stored = StoredRecord(id: RecordID(2), boot: 1, record: Self.record(.trip(trip)))
    var text: [UInt8] = []
    try #require(OverlandTrip(stored.record)).append(to: &text)
    #expect(
      String(decoding: text, as: UTF8.self).contains(
        #""distance":1400,"stopped_automatically":true,"steps":0,"reconstructed":true,\#(Self.deviceText)}}"#)
    )
    #expect(Self.text(stored.record) == nil)
    #expect(Self.text(ordinary.record)?.contains("reconstructed") == false)
    for name in OverlandProfile.all.map(\.name) where name != "outrider" {
      var profile = try #require(OverlandProfile.named(name))
      #expect(OverlandBatch([ordinary, stored], for: profile).count == 1, "\(name)")
      #expect(OverlandBatch([stored], for: profile).count == 0)
      profile.hasReconstructedTrips = true
      #expect(OverlandBatch([ordinary, stored], for: profile).count == 2)
    }
    #expect(!TrackFile.isWritten(stored.record) && TrackFile.isWritten(ordinary.record))
    #expect(TrackFile.isWritten(stored.record, reconstructedTrips: true))
  }

  @Test func aVisitIsWrittenByteForByteTwice() throws {
    let position = try #require(Coordinate(latitudeE7: 525_418_194, longitudeE7: 133_619_121))
    var visit = VisitRecord(coordinate: position, arrival: .utc(Self.start), device: Self.device)
    visit.horizontalAccuracyMillimetres = 14_999
    let head =
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.3619121,52.5418194]},"#
      + #""properties":{"timestamp":"2026-03-01T10:15:02Z","action":"visit","arrival_date":"2026-03-01T10:02:11Z","#
    let tail = #","horizontal_accuracy":14,\#(Self.deviceText)}}"#
    #expect(Self.text(Self.record(.visit(visit))) == head + #""departure_date":null"# + tail)
    visit.departure = .utc(Self.end)
    #expect(
      Self.text(Self.record(.visit(visit))) == head + #""departure_date":"2026-03-01T10:15:02Z""# + tail)
    visit.arrival = nil
    visit.horizontalAccuracyMillimetres = nil
    let text = try #require(Self.text(Self.record(.visit(visit))))
    #expect(text.contains(#""arrival_date":null,"#) && text.contains(#""horizontal_accuracy":100,"#))
  }

  @Test(arguments: ActionRecord.Action.allCases)
  func anActionIsWrittenByteForByte(_ action: ActionRecord.Action) throws {
    let position = try #require(Coordinate(latitudeE7: 525_418_194, longitudeE7: 133_619_121))
    #expect(
      Self.text(Self.record(.action(ActionRecord(action, at: position, device: Self.device))))
        == #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.3619121,52.5418194]},"#
        + #""properties":{"timestamp":"2026-03-01T10:15:02Z","action":"\#(action.rawValue)",\#(Self.deviceText)}}"#
    )
  }

  @Test func everyKindOfRecordHasTheConfiguredIdentity() throws {
    let position = try #require(Coordinate(latitudeE7: 525_418_194, longitudeE7: 133_619_121))
    var trip = TripRecord(
      mode: .car, start: .utc(Self.start), end: .utc(Self.end), durationMilliseconds: 1,
      distanceMillimetres: 1, isManual: true, ending: .asked, device: Self.device)
    trip.endLocation = TripRecord.Location(try Self.van(), time: .utc(Self.end))
    let bodies: [LogRecord.Body] = [
      .location(try Self.van()), .trip(trip),
      .visit(VisitRecord(coordinate: position, arrival: nil, device: Self.device)),
      .action(ActionRecord(.willTerminate, at: position, device: Self.device)),
    ]
    var profile = OverlandProfile.overland
    profile.uniqueID = "0A1B"
    for body in bodies {
      let stored = StoredRecord(id: RecordID(1), boot: 1, record: Self.record(body))
      let text = String(decoding: OverlandBatch([stored], for: profile).locations, as: UTF8.self)
      #expect(text.hasSuffix(#","battery_level":1,"unique_id":"0A1B"}}]"#), "\(text)")
      let plain = String(decoding: OverlandBatch([stored]).locations, as: UTF8.self)
      #expect(!plain.contains("unique_id"))
    }
  }

  @Test func theStatisticsUseTheProtocolsWordsAndNumbers() throws {
    typealias Statistics = TrackingStatistics
    let words = ["other", "automotive_navigation", "fitness", "other_navigation", "airborne"]
    for (activity, word) in zip(ActivityType.allCases, words) {
      for (accuracy, metres) in zip(DesiredAccuracy.allCases, [-2, -1, 10, 100, 1000, 3000]) {
        for (number, mode) in TrackingMode.allCases.enumerated() {
          var van = try Self.van()
          van.statistics = Statistics(
            pauses: true, activity: activity, desiredAccuracy: accuracy, mode: mode)
          let text = try #require(Self.text(Self.record(.location(van))))
          #expect(
            text.hasSuffix(
              #""battery_level":1,"pauses":true,"activity":"\#(word)","desired_accuracy":\#(metres),"#
                + #""tracking_mode":\#(number),"locations_in_payload":1}}"#))
        }
      }
    }
  }

  @Test func recordsWithoutPositionOrTimeAreNeverSent() throws {
    let position = try #require(Coordinate(latitudeE7: 525_418_194, longitudeE7: 133_619_121))
    let nowhere = try #require(Coordinate(latitudeE7: 0, longitudeE7: 0))
    let visit = VisitRecord(coordinate: position, arrival: nil, device: Self.device)
    let action = ActionRecord(.willTerminate, at: position, device: Self.device)
    var trip = TripRecord(
      mode: .car, start: .utc(Self.start), end: .utc(Self.end), durationMilliseconds: 1,
      distanceMillimetres: 1,
      isManual: true, ending: .asked, device: Self.device)
    #expect(Self.text(Self.record(.trip(trip))) == nil)
    trip.endLocation = TripRecord.Location(try Self.van(), time: .utc(Self.end))
    trip.start = .boot(.zero)
    #expect(Self.text(Self.record(.trip(trip))) == nil)
    #expect(Self.text(Self.record(.visit(visit), time: nil)) == nil)
    #expect(Self.text(Self.record(.action(action), time: nil)) == nil)
    #expect(Self.text(Self.record(.event(EventRecord(.started)))) == nil)
    var elsewhere = action
    elsewhere.coordinate = nowhere
    #expect(Self.text(Self.record(.action(elsewhere))) == nil)
    var visitElsewhere = visit
    visitElsewhere.coordinate = nowhere
    #expect(Self.text(Self.record(.visit(visitElsewhere))) == nil)
  }

  @Test func omittedRecordsLeaveTheListValid() throws {
    let good = Self.record(.location(try Self.wholeVan()))
    let bad = Self.record(.event(EventRecord(.started)))
    for order in [[bad, good, bad, bad, good, bad], [bad], [good, bad], [bad, bad, good]] {
      let batch = OverlandBatch(order.map { StoredRecord(id: RecordID(1), boot: 1, record: $0) })
      let object = try JSONSerialization.jsonObject(with: Data(batch.body().joined())) as? [String: Any]
      #expect((object?["locations"] as? [Any])?.count == order.filter { $0 == good }.count)
    }
  }
}
