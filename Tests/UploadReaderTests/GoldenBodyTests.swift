import FleetRecords
import Quantities
import Testing

@testable import UploadReader

/// A hash for tests: FNV-1a with 64 bits.
let testHash: UploadReader.Hash = { bytes in
  bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
}

/// The result of reading a body, for comparisons in tests.
func read(_ text: String) -> Result<Upload, UploadError> { read(Array(text.utf8)) }

func read(_ body: [UInt8]) -> Result<Upload, UploadError> {
  do throws(UploadError) { return .success(try UploadReader(hash: testHash).read(body)) } catch {
    return .failure(error)
  }
}

func readOwnTracks(_ body: [UInt8], owner: String? = nil) -> Result<Upload?, UploadError> {
  do throws(UploadError) {
    return .success(try UploadReader(hash: testHash).readOwnTracks(body, owner: owner))
  } catch { return .failure(error) }
}

extension Result {
  var isSuccess: Bool {
    if case .success = self { true } else { false }
  }
}

@Suite struct GoldenBodyTests {
  private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(iso8601: text)) }

  @Test func theProfileOfTheLoggerIsReadWhole() throws {
    let upload = try read(GoldenBodies.outrider).get()
    #expect(upload.deviceID == "van-17" && upload.uniqueID == "b8:27:eb" && upload.range == 48001...48214)
    #expect(upload.log?.description == "6b1f6a2e-0000-4000-8000-00000000abcd")
    var location = LocationRow(
      id: RowID(time: try time("2026-11-22T17:04:41.250Z"), record: 48211),
      place: PlaceColumns(latitudeE7: 525_418_194, longitudeE7: 133_619_121))
    location.altitudeMillimetres = 39_412
    location.speedMillimetresPerSecond = 5127
    location.courseMillidegrees = 77_310
    location.horizontalAccuracyMillimetres = 2900
    location.verticalAccuracyMillimetres = 4100
    location.speedAccuracyMillimetresPerSecond = 210
    location.courseAccuracyMillidegrees = 1800
    location.dilutionTenths = 9
    location.fix = .threeDimensional
    location.satellites = 14
    location.accuracySource = .errorEllipse
    location.timeQuality = .clockChip
    location.motion = [.driving, .stationary]
    location.reasons = 4 | 16
    location.steps = 0
    location.trip = try time("2026-11-22T16:00:00.500Z")
    location.device = DeviceStateColumns(batteryState: .unplugged, batteryPercent: 89)
    #expect(upload.locations == [location])
    var visit = VisitRow(id: RowID(time: try time("2026-11-22T17:05:00Z"), record: 48212), place: nil)
    visit.arrival = try time("2026-11-22T17:00:00Z")
    visit.horizontalAccuracyMillimetres = 100_000
    visit.radiusMillimetres = 50_500
    #expect(upload.visits == [visit])
    var trip = TripRow(id: RowID(time: try time("2026-11-22T18:00:00Z"), record: 48213))
    (trip.start, trip.end, trip.mode) = (location.trip, trip.id.time, "car")
    (trip.durationMilliseconds, trip.distanceMillimetres, trip.steps) = (7_199_500, 1_234_567, 7)
    trip.startPlace = PlaceColumns(latitudeE7: 521_000_000, longitudeE7: 131_000_000)
    trip.endPlace = PlaceColumns(latitudeE7: 525_000_000, longitudeE7: 134_000_000)
    (trip.isManual, trip.ending) = (false, "no fix")
    trip.device.wifi = "Büro"
    #expect(upload.trips == [trip])
    let end = RowID(time: try time("2026-11-22T18:00:01Z"), record: 48214)
    #expect(upload.actions == [ActionRow(id: end, action: "will_terminate", place: nil)])
  }

  @Test func eventsAndTheReportAreRead() throws {
    let upload = try read(GoldenBodies.outrider).get()
    let resting = EventRow(
      id: RowID(time: try time("2026-11-22T17:01:02Z"), record: 48190), kind: "receiver_resting",
      detail: "the receiver ü", value: 900, fields: #"{ "reason": "stationary", "next_check_s": 900 }"#)
    let gap = EventRow(id: RowID(time: try time("2026-11-22T17:01:03Z"), record: 48191), kind: "gap")
    #expect(upload.events == [resting, gap])
    let report = try #require(upload.report)
    #expect(report.version == "1.4.0" && report.settingsHash == "sha256:ab" && report.queuedRecords == 1200)
    #expect(report.daysLeft == 211.5)
    let contact = try time("2026-11-22T17:40:00Z")
    #expect(report.nextContact == contact && report.nextContactIn == .seconds(2100))
    #expect(report.text.hasPrefix("{ \"version\"") && report.text.hasSuffix("}"))
    let changed = try time("2026-11-22T17:00:00Z")
    #expect(
      report.settingOutcomes == [
        SettingOutcome(key: "main.min_time", value: #""30s""#, outcome: .proven, time: changed)
      ])
  }

  @Test func aPhoneIsReadLeniently() throws {
    let upload = try read(GoldenBodies.phone).get()
    #expect(upload.log == nil && upload.range == nil && upload.deviceID == "van-7" && upload.report == nil)
    #expect(upload.locations.count == 2 && upload.actions.count == 1 && upload.actions.first?.place == nil)
    let first = try #require(upload.locations.first)
    let second = try #require(upload.locations.last)
    #expect(first.id.record < 0 && second.id.record < 0 && first.id.record != second.id.record)
    #expect(first.courseMillidegrees == nil && first.speedAccuracyMillimetresPerSecond == nil)
    #expect(first.device == DeviceStateColumns(batteryState: .full))
    #expect(first.extra == #"{"pauses":false,"activity":"automotive_navigation"}"#)
    let time = try time("2026-03-01T17:16:02Z")
    #expect(second.id.time == time && second.motion == .driving && second.altitudeMillimetres == nil)
    #expect(second.horizontalAccuracyMillimetres == nil && second.device.batteryState == .charging)
    #expect(second.extra == #"{"altitude":12,"speed":"fast","horizontal_accuracy":100}"#)
  }

  @Test func aRepeatedFeatureHasTheSameNumber() throws {
    let once = try read(GoldenBodies.phone).get()
    let again = try read(
      GoldenBodies.phone.replacingPrefix(#"{"locations":["#, with: #"{ "x":[1], "locations" : [ "#)
    ).get()
    #expect(once.locations == again.locations)
  }

  @Test func aFeatureCollectionIsRead() throws {
    let upload = try read(GoldenBodies.collection).get()
    let row = try #require(upload.locations.first)
    #expect(row.altitudeMillimetres == 3500 && row.extra == #"{"name":"a place"}"#)
    #expect(row.place == PlaceColumns(latitudeE7: 20_000_000, longitudeE7: 10_000_000))
  }

  @Test func aMessageOfOwnTracksIsRead() throws {
    let body = GoldenBodies.bytes(GoldenBodies.ownTracks)
    let upload = try #require(try readOwnTracks(body, owner: "x/y").get())
    let row = try #require(upload.locations.first)
    #expect(upload.deviceID == "fleet/van7" && row.speedMillimetresPerSecond == 13_333)
    #expect(row.device == DeviceStateColumns(batteryState: .charging, wifi: "Home"))
    #expect(row.altitudeMillimetres == 39_000 && row.courseMillidegrees == 87_000 && row.id.record < 0)
    #expect(row.extra == #"{"conn":"w"}"#)
    let time = try time("2026-03-01T10:15:02Z")
    #expect(row.id.time == time)
    let other = try readOwnTracks(Array(#"{"_type":"lwt","tst":1}"#.utf8)).get()
    #expect(other == nil)
    let owned = Array(#"{"_type":"location","lat":1,"lon":2,"tst":1772360102}"#.utf8)
    let ofOwner = try readOwnTracks(owned, owner: "a/b").get()
    #expect(ofOwner?.deviceID == "a/b")
  }

  @Test func anEarlierNameStaysWithItsRows() throws {
    func feature(_ record: Int, _ name: String) -> String {
      #"{"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"timestamp":"2026-03-01T10:15:02Z","#
        + #""record":\#(record),"device_id":"\#(name)","n":\#(record)}}"#
    }
    let names = ["a", "a", "b\\n", "a", "c"]
    let features = names.enumerated().map { feature($0.offset + 1, $0.element) }.joined(separator: ",")
    let upload = try read(
      #"{"locations":[\#(features)],"log":"6b1f6a2e-0000-4000-8000-00000000abcd","from":1,"through":5}"#
    ).get()
    #expect(upload.deviceID == "c")
    #expect(
      upload.locations.map(\.extra) == [
        #"{"device_id":"a","n":1}"#, #"{"device_id":"a","n":2}"#, #"{"device_id":"b\n","n":3}"#,
        #"{"device_id":"a","n":4}"#, #"{"n":5}"#,
      ])
  }

  /// An earlier body has accounted for their numbers.
  @Test func recordsThatWereDatedLaterNeedNoRange() throws {
    let upload = try read(
      #"{"locations":[],"events":[{"record":3,"time":"2026-03-01T10:15:02Z","kind":"gap"}],"#
        + #""log":"6b1f6a2e-0000-4000-8000-00000000abcd"}"#
    ).get()
    #expect(upload.events.map(\.id.record) == [3] && upload.range == nil && upload.log != nil)
  }

  @Test func aHeartbeatHasNoRecords() throws {
    let log = #""log":"6b1f6a2e-0000-4000-8000-00000000abcd""#
    let plain = try read(#"{"locations":[],"report":{"version":"1"},\#(log)}"#).get()
    #expect(plain.rowCount == 0 && plain.range == nil && plain.report?.version == "1" && plain.log != nil)
    let empty = try read(#"{"locations":[],\#(log),"from":8,"through":7,"device_id":"d","unique_id":"u"}"#)
      .get()
    #expect(empty.range == nil && empty.deviceID == "d" && empty.uniqueID == "u")
    let ranged = try read(#"{"locations":[],\#(log),"from":7,"through":9}"#).get()
    #expect(ranged.range == 7...9)
  }

  @Test func everyKeyHasItsName() {
    #expect(Property.names.count == Property.allCases.count && Property.names.count <= 64)
    #expect(UploadKey.names.count == UploadKey.allCases.count)
    for (names, table) in [(Property.names, Property.table), (UploadKey.names, UploadKey.table)] {
      for (number, name) in names.enumerated() {
        #expect(Array("\(name)".utf8).withUnsafeBufferPointer { table.number($0) } == number)
      }
      #expect(Array("no key".utf8).withUnsafeBufferPointer { table.number($0) } == nil)
    }
  }
}

extension String {
  fileprivate func replacingPrefix(_ prefix: String, with other: String) -> String {
    hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
  }
}
