import Quantities

/// Bodies of the wire format and of other programs.
enum GoldenBodies {
  /// Appendix A of the format, with every kind of record.
  static let outrider = """
    { "locations": [ { "type": "Feature", "geometry": { "type": "Point", "coordinates": [13.3619121, 52.5418194] },
      "properties": { "timestamp": "2026-11-22T17:04:41.250Z", "record": 48211, "altitude": 39.412, "speed": 5.127,
      "course": 77.31, "horizontal_accuracy": 2.9, "vertical_accuracy": 4.1, "speed_accuracy": 0.21,
      "course_accuracy": 1.8, "motion": ["driving", "stationary"], "battery_state": "unplugged", "battery_level": 0.89,
      "wifi": "", "device_id": "van-17", "unique_id": "b8:27:eb", "trip_id": "2026-11-22T16:00:00.5Z", "fix": "3D",
      "satellites": 14, "accuracy_source": "error ellipse", "time_quality": "clock chip",
      "reasons": ["period", "angle"], "steps": 0, "hdop": 0.9 } },
      {"type":"Feature","geometry":null,"properties":{"timestamp":"2026-11-22T17:05:00.000Z","record":48212,
      "action":"visit","arrival_date":"2026-11-22T17:00:00.000Z","departure_date":null,"radius":50.5,
      "horizontal_accuracy":100,"device_id":"van-17"}},
      {"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{
      "timestamp":"2026-11-22T18:00:00.000Z","record":48213,"type":"trip","mode":"car",
      "start":"2026-11-22T16:00:00.500Z","end":"2026-11-22T18:00:00.000Z",
      "start_location":{"type":"Feature","geometry":{"type":"Point","coordinates":[13.1,52.1]},"properties":{}},
      "end_location":null,"duration":7199.5,"distance":1234.567,"stopped_automatically":true,"steps":7,
      "manual":false,"ending":"no fix","wifi":"Büro"}},
      {"type":"Feature","properties":{"timestamp":"2026-11-22T18:00:01Z","record":48214,
      "action":"will_terminate"}} ],
      "events": [ { "record": 48190, "time": "2026-11-22T17:01:02.000Z", "kind": "receiver_resting",
      "detail": "the receiver \\u00fc", "value": 900, "fields": { "reason": "stationary", "next_check_s": 900 } },
      {"record":48191,"time":"2026-11-22T17:01:03.000Z","kind":"gap","value":null,"fields":null} ],
      "log": "6B1F6A2E-0000-4000-8000-00000000abcd", "boot": "7d1c", "from": 48001, "through": 48214,
      "current": {"type":"Feature"}, "trip": {"mode":"car"},
      "report": { "version": "1.4.0", "board": "field-unit", "days_left": 211.5, "queued_records": 1200,
      "settings_hash": "sha256:ab", "next_contact": "2026-11-22T17:40:00Z", "next_contact_in_s": 2100, "set_outcomes": [
      {"key":"main.min_time","value":"30s","outcome":"proven","time":"2026-11-22T17:00:00Z"},
      {"key":"x","value":1,"outcome":"no such word","time":"2026-11-22T17:00:00Z"}] } }
    """

  /// Overland on a phone, with a sentinel for every unknown value.
  static let phone = """
    {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[13.3619121,52.5418194]},
    "properties":{"timestamp":"2026-03-01T10:15:02Z","altitude":39,"speed":13.47,"course":-1,
    "horizontal_accuracy":4,"vertical_accuracy":7,"speed_accuracy":-1,"course_accuracy":-1,"motion":["driving"],
    "device_id":"van-7","wifi":"","battery_state":"full","battery_level":-1,"trip_id":"2026-03-01T10:02:11Z",
    "pauses":false,"activity":"automotive_navigation"}},
    {"type":"Feature","geometry":{"type":"Point","coordinates":[13.36,52.54]},"properties":{
    "timestamp":"2026-03-01T10:16:02-0700","altitude":12,"vertical_accuracy":-1,"horizontal_accuracy":100,
    "motion":"automotive","battery_state":true,"speed":"fast"}},
    {"type":"Feature","properties":{"timestamp":"2026-03-01T10:17:02Z","action":"paused_location_updates"}}],
    "current":{"type":"Feature"},"trip":{"mode":"car"}}
    """

  static let collection = """
    {"type":"FeatureCollection","features":[{"type":"Feature","id":7,
    "geometry":{"type":"Point","coordinates":[1,2,3.5]},
    "properties":{"timestamp":"2026-03-01T10:15:02Z","name":"a place"}}]}
    """

  static let ownTracks = """
    {"_type":"location","lat":52.5418194,"lon":13.3619121,"tst":1772360102,"acc":4,"batt":-100,
    "topic":"owntracks/fleet/van7","alt":39,"vel":48,"cog":87,"bs":2,"SSID":"Home","conn":"w"}
    """

  static let all = [outrider, phone, collection, ownTracks]

  static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// A body of locations with the properties of the profile, for measurements.
  static func batch(count: Int) -> [UInt8] {
    var features: [String] = []
    for index in 0..<count {
      let (latitude, longitude) = (525_418_194 + index * 37, 133_619_121 + index * 91)
      let time = Timestamp(milliseconds: 1_795_000_000_250 + Int64(index) * 1000).iso8601(
        fraction: .milliseconds)
      features.append(
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":["#
          + "\(longitude / 10_000_000).\(longitude % 10_000_000),\(latitude / 10_000_000).\(latitude % 10_000_000)"
          + #"]},"properties":{"timestamp":"\#(time)","record":\#(48_001 + index),"altitude":39.4\#(index % 100),"#
          + #""speed":5.1\#(index % 90),"course":77.\#(index % 100),"horizontal_accuracy":2.9,"#
          + #""vertical_accuracy":4.1,"speed_accuracy":0.21,"course_accuracy":1.8,"motion":["driving"],"#
          + #""battery_state":"unplugged","battery_level":0.89,"wifi":"","device_id":"van-17","#
          + #""unique_id":"b827eb123456","trip_id":"2026-11-22T16:00:00.500Z","fix":"3D","satellites":14,"#
          + #""accuracy_source":"receiver","time_quality":"receiver","reasons":["period"],"steps":0}}"#)
    }
    return Array(
      (#"{"locations":[\#(features.joined(separator: ","))],"events":[],"#
        + #""log":"6b1f6a2e-0000-4000-8000-00000000abcd","boot":"7d1c","from":48001,"through":\#(48_000 + count)}"#)
        .utf8)
  }
}
