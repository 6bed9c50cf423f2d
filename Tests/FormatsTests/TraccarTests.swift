import Formats
import Quantities
import Records
import Testing

/// The items for Traccar's OsmAnd port.
@Suite struct TraccarTests {
  private static func extras(_ change: (inout LocationRecord) -> Void) throws -> String {
    var record = try OwnTracksMessageTests.van()
    guard case .location(var location) = record.body else {
      Issue.record("no location")
      return ""
    }
    (location.fixKind, location.satellitesUsed, location.horizontalDilutionTenths) = (.none, nil, nil)
    (location.batteryState, location.motion) = (.unknown, [])
    change(&location)
    record.body = .location(location)
    let plain = try #require(QueryText.text(record, speedUnit: .knots))
    let whole = try #require(QueryText.text(record, speedUnit: .knots, forTraccar: true))
    #expect(whole.starts(with: plain), "the items of the plain query stay as they are")
    return String(decoding: whole.dropFirst(plain.count), as: UTF8.self)
  }

  @Test func unknownValuesAreOmitted() throws {
    let extras = try Self.extras { _ in }
    #expect(extras.isEmpty)
  }

  @Test func aWholeLocationHasAllOfThem() throws {
    let extras = try Self.extras {
      ($0.fixKind, $0.satellitesUsed, $0.horizontalDilutionTenths) = (.threeDimensional, 14, 12)
      ($0.batteryState, $0.motion) = (.charging, [.driving])
    }
    #expect(extras == "&valid=true&sat=14&hdop=1.2&charge=true&motion=true")
  }

  static let fixes: [(FixKind, String)] = [
    (.twoDimensional, "&valid=true"), (.differential, "&valid=true"), (.deadReckoning, "&valid=false"),
    (.none, ""),
  ]

  @Test(arguments: fixes)
  func deadReckoningIsNotValid(kind: FixKind, expected: String) throws {
    let extras = try Self.extras { $0.fixKind = kind }
    #expect(extras == expected)
  }

  static let states: [(BatteryState, MotionStates, String)] = [
    (.full, .stationary, "&charge=true&motion=false"),
    (.unplugged, [.driving, .stationary], "&charge=false&motion=false"), (.unknown, .walking, "&motion=true"),
  ]

  @Test(arguments: states)
  func chargeAndMotionAreTruthValues(battery: BatteryState, motion: MotionStates, expected: String) throws {
    let extras = try Self.extras { ($0.batteryState, $0.motion) = (battery, motion) }
    #expect(extras == expected)
  }

  static let events: [(EventKind, String)] = [
    (.overspeedStarted, "alarm=overspeed"), (.harshAcceleration, "alarm=hardAcceleration"),
    (.harshBraking, "alarm=hardBraking"), (.harshCornering, "alarm=hardCornering"),
    (.idlingStarted, "alarm=idle"), (.towed, "alarm=tow"), (.parkingMoved, "alarm=movement"),
    (.zoneEntered, "alarm=geofenceEnter"), (.zoneLeft, "alarm=geofenceExit"),
    (.chargerRemoved, "alarm=powerCut&charge=false"), (.chargerAttached, "alarm=powerRestored&charge=true"),
    (.supplyUnder, "alarm=lowPower"), (.brownOut, "alarm=lowPower"), (.batteryLow, "alarm=lowBattery"),
    (.ignitionOn, "ignition=true"), (.ignitionOff, "ignition=false"),
  ]

  private static func record(_ event: EventRecord) -> LogRecord {
    LogRecord(
      moment: .zero, time: Timestamp(milliseconds: 1_772_360_102_900), timeQuality: .receiver,
      body: .event(event))
  }

  @Test(arguments: events)
  func anEventHasTheWordsOfTraccarAndNoPosition(kind: EventKind, items: String) throws {
    let text = try #require(TraccarEvent.text(Self.record(EventRecord(kind)), deviceID: "fleet/van7"))
    let expected = "id=fleet%2Fvan7&timestamp=1772360102&event=\(kind.rawValue)&\(items)"
    #expect(String(decoding: text, as: UTF8.self) == expected)
  }

  @Test func aZoneIsNamed() throws {
    let event = EventRecord(.zoneEntered, [.zone: .text("depot & yard")])
    let text = try #require(TraccarEvent.text(Self.record(event), deviceID: ""))
    #expect(
      String(decoding: text, as: UTF8.self)
        == "timestamp=1772360102&event=zone_entered&alarm=geofenceEnter&zone=depot%20%26%20yard")
  }

  @Test func otherEventsAndRecordsHaveNoCounterpart() throws {
    let known = Set(Self.events.map { $0.0 })
    for kind in EventKind.allCases where !known.contains(kind) {
      #expect(TraccarEvent.text(Self.record(EventRecord(kind)), deviceID: "van") == nil, "\(kind)")
    }
    let location = try OwnTracksMessageTests.van()
    #expect(TraccarEvent.text(location, deviceID: "van") == nil)
    var undated = Self.record(EventRecord(.towed))
    undated.time = nil
    #expect(TraccarEvent.text(undated, deviceID: "van") == nil)
  }
}
