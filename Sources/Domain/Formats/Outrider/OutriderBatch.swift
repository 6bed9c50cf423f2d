import Quantities
import Records

/// The records of one request in the profile `outrider`: an Overland body with all that the log has.
///
/// It has record numbers, all digits, events, and the range of the log for which it accounts. An unknown value has no
/// key. Records without a position have the geometry null. The beginning of the body is the same at every attempt.
struct OutriderBatch {
  /// The number of records, events included.
  private(set) var count = 0
  /// The start of the body, without the closing brace.
  private(set) var text: [UInt8] = []

  /// `log` is the UUID of the log file; nil leaves out the range.
  init(
    _ records: some Collection<StoredRecord>, accountingFor range: BatchRange, log: String?,
    for profile: OverlandProfile
  ) {
    text.reserveCapacity(64 + records.count * 560)
    text.append(#"{"locations":["#)
    for stored in records {
      append(isFirst: count == 0) { OutriderFeature.append(stored, to: &$0, for: profile) }
    }
    text.append(#"],"events":["#)
    let locations = count
    for stored in records {
      append(isFirst: count == locations) { OutriderFeature.appendEvent(stored, to: &$0) }
    }
    text.append("]")
    guard let log else { return }
    text.append(#","log":"#)
    text.appendJSONString(log)
    guard let from = range.from else { return }
    text.append(#","from":"#)
    text.appendDecimal(from.rawValue, decimals: 0)
    text.append(#","through":"#)
    text.appendDecimal(range.through.rawValue, decimals: 0)
  }

  /// Appends an element of a list with the comma before it, unless there is none.
  private mutating func append(isFirst: Bool, _ element: (inout [UInt8]) -> Bool) {
    let end = text.count
    if !isFirst { text.append(",") }
    if element(&text) { count += 1 } else { text.removeLast(text.count - end) }
  }
}

/// A record in the profile `outrider`.
enum OutriderFeature {
  /// Appends the Feature of a record; returns false for events, and for records without a time.
  static func append(_ stored: StoredRecord, to text: inout [UInt8], for profile: OverlandProfile) -> Bool {
    guard let time = stored.record.time else { return false }
    switch stored.record.body {
    case .event: return false
    case .location(let location):
      begin(at: location.coordinate, stored, time, &text)
      append(location, to: &text)
      text.append(#","time_quality":"#)
      text.appendWord(stored.record.timeQuality.word)
      end(location.device, &text, for: profile)
    case .visit(let visit):
      begin(at: visit.coordinate, stored, time, &text)
      text.append(#","action":"visit""#)
      text.append(#","arrival_date":"#, visit.arrival?.time)
      text.append(#","departure_date":"#, visit.departure?.time)
      text.append(#","horizontal_accuracy":"#, visit.horizontalAccuracyMillimetres)
      text.append(#","radius":"#, visit.radiusMillimetres)
      end(visit.device, &text, for: profile)
    case .trip(let trip):
      begin(at: trip.endLocation?.location.coordinate, stored, time, &text)
      append(trip, to: &text)
      end(trip.device, &text, for: profile)
    case .action(let action):
      begin(at: action.coordinate, stored, time, &text)
      text.append(#","action":"#)
      text.appendJSONString(action.action.rawValue)
      end(action.device, &text, for: profile)
    }
    return true
  }

  /// Appends the object of an event; returns false for other records, and for an event without a time.
  static func appendEvent(_ stored: StoredRecord, to text: inout [UInt8]) -> Bool {
    guard let time = stored.record.time, case .event(let event) = stored.record.body else { return false }
    text.append(#"{"record":"#)
    text.appendDecimal(stored.id.rawValue, decimals: 0)
    text.append(#","time":"#)
    text.appendExactTime(time)
    text.append(#","kind":"#)
    text.appendJSONString(event.kind.rawValue)
    text.append(#","detail":"#)
    text.appendJSONString(event.detail)
    if let value = event.value {
      text.append(#","value":"#)
      text.appendDecimal(value, decimals: 0)
    }
    let fields = event.withoutPosition.fields
    if !fields.isEmpty {
      text.append(#","fields":"#)
      text.append(contentsOf: fields.json.utf8)
    }
    text.append("}")
    return true
  }

  private static func begin(
    at coordinate: Coordinate?, _ stored: StoredRecord, _ time: Timestamp, _ text: inout [UInt8]
  ) {
    text.append(#"{"type":"Feature","geometry":"#)
    text.appendPoint(coordinate)
    text.append(#","properties":{"timestamp":"#)
    text.appendExactTime(time)
    text.append(#","record":"#)
    text.appendDecimal(stored.id.rawValue, decimals: 0)
  }

  private static func end(_ device: DeviceState, _ text: inout [UInt8], for profile: OverlandProfile) {
    text.append(#","battery_state":"#)
    text.appendWord(device.batteryState.word)
    if let percent = device.batteryPercent {
      text.append(#","battery_level":"#)
      text.appendBatteryLevel(percent)
    }
    text.append(#","wifi":"#)
    text.appendJSONString(device.wifi)
    text.append(#","device_id":"#)
    text.appendJSONString(profile.deviceID ?? device.deviceID)
    if let uniqueID = profile.uniqueID {
      text.append(#","unique_id":"#)
      text.appendJSONString(uniqueID)
    }
    text.append("}}")
  }

  private static func append(_ location: LocationRecord, to text: inout [UInt8]) {
    text.append(#","altitude":"#, location.altitudeMillimetres)
    text.append(#","speed":"#, location.speedMillimetresPerSecond)
    text.append(#","course":"#, location.courseMillidegrees)
    text.append(#","horizontal_accuracy":"#, location.horizontalAccuracyMillimetres)
    text.append(#","vertical_accuracy":"#, location.verticalAccuracyMillimetres)
    text.append(#","speed_accuracy":"#, location.speedAccuracyMillimetresPerSecond)
    text.append(#","course_accuracy":"#, location.courseAccuracyMillidegrees)
    text.append(#","motion":["#)
    text.appendWords(MotionStates.words.lazy.filter { location.motion.contains($0.state) }.map(\.word))
    text.append(#"],"fix":"#)
    text.appendWord(location.fixKind.word)
    if let satellites = location.satellitesUsed {
      text.append(#","satellites":"#)
      text.appendDecimal(Int64(satellites), decimals: 0)
    }
    if let dilution = location.horizontalDilutionTenths {
      text.append(#","hdop":"#)
      text.appendDecimal(Int64(dilution), decimals: 1)
    }
    text.append(#","accuracy_source":"#)
    text.appendWord(location.accuracySource.word)
    text.append(#","reasons":["#)
    text.appendWords(KeepReasons.words.lazy.filter { location.reasons.contains($0.reason) }.map(\.word))
    text.append("]")
    if let steps = location.steps {
      text.append(#","steps":"#)
      text.appendDecimal(Int64(steps), decimals: 0)
    }
    text.append(#","trip_id":"#, location.trip?.time)
  }

  private static func append(_ trip: TripRecord, to text: inout [UInt8]) {
    text.append(#","type":"trip","mode":"#)
    text.appendJSONString(trip.mode.rawValue)
    text.append(#","start":"#, trip.start.time)
    text.append(#","end":"#, trip.end.time)
    append(#","start_location":"#, trip.startLocation, to: &text)
    append(#","end_location":"#, trip.endLocation, to: &text)
    text.append(#","duration":"#)
    text.appendDecimal(trip.durationMilliseconds, decimals: 3)
    text.append(#","distance":"#)
    text.appendDecimal(trip.distanceMillimetres, decimals: 3)
    if let steps = trip.steps {
      text.append(#","steps":"#)
      text.appendDecimal(Int64(steps), decimals: 0)
    }
    text.append(#","stopped_automatically":"#)
    text.append(trip.ending == .asked ? "false" : "true")
    text.append(#","manual":"#)
    text.append(trip.isManual ? "true" : "false")
    text.append(#","ending":"#)
    text.appendWord(trip.ending.word)
    if trip.isReconstructed { text.append(#","reconstructed":true"#) }
  }

  /// Appends an end of a trip as a Feature with time and position.
  private static func append(_ key: StaticString, _ end: TripRecord.Location?, to text: inout [UInt8]) {
    guard let end else { return }
    text.append(key)
    text.append(#"{"type":"Feature","geometry":"#)
    text.appendPoint(end.location.coordinate)
    text.append(#","properties":{"#)
    if let time = end.time.time {
      text.append(#""timestamp":"#)
      text.appendExactTime(time)
    }
    text.append("}}")
  }
}

extension [UInt8] {
  /// Appends `key` and a number of thousandths; nothing for nil.
  fileprivate mutating func append(_ key: StaticString, _ thousandths: Int32?) {
    guard let thousandths else { return }
    append(key)
    appendDecimal(Int64(thousandths), decimals: 3)
  }

  /// Appends `key` and a time; nothing for nil.
  fileprivate mutating func append(_ key: StaticString, _ time: Timestamp?) {
    guard let time else { return }
    append(key)
    appendExactTime(time)
  }

  /// Appends a time with milliseconds.
  fileprivate mutating func appendExactTime(_ time: Timestamp) {
    append("\"")
    time.appendISO8601(to: &self, fraction: .milliseconds)
    append("\"")
  }

  fileprivate mutating func appendPoint(_ coordinate: Coordinate?) {
    guard let coordinate else { return append("null") }
    append(#"{"type":"Point","coordinates":["#)
    appendDecimal(Int64(coordinate.longitudeE7), decimals: 7)
    append(",")
    appendDecimal(Int64(coordinate.latitudeE7), decimals: 7)
    append("]}")
  }

  fileprivate mutating func appendWord(_ word: StaticString) {
    append("\"")
    append(word)
    append("\"")
  }

  fileprivate mutating func appendWords(_ words: some Sequence<StaticString>) {
    var isFirst = true
    for word in words {
      if !isFirst { append(",") }
      isFirst = false
      appendWord(word)
    }
  }
}
