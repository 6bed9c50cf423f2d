/// Requests of OwnTracks clients at the HTTP border of a receiving server: the request, its answer, and what is stored.
public struct OwnTracksCase: Sendable {
  /// The answer, and the rows that are stored.
  public struct Outcome: Sendable {
    public var status: Int
    /// Latitude and longitude in 1e-7 degrees and the time in ms of each stored location.
    public var rows: [[Int64]]
    /// The reason by which a message that is not stored is counted; nil for none.
    public var dropped: String?

    public static func stored(_ rows: [[Int64]]) -> Outcome { Outcome(status: 200, rows: rows) }
    /// Confirmed, because a repetition would never be stored, and counted.
    public static func dropped(_ reason: String) -> Outcome {
      Outcome(status: 200, rows: [], dropped: reason)
    }
    public static func rejected(_ status: Int, _ reason: String? = nil) -> Outcome {
      Outcome(status: status, rows: [], dropped: reason)
    }
  }

  public var promise: String
  public var body: String
  /// By `outrider collect`, and by `outrider-collector`.
  public var household: Outcome
  public var fleet: Outcome

  private init(_ promise: String, _ body: String, _ household: Outcome, fleet: Outcome? = nil) {
    (self.promise, self.body, self.household) = (promise, body, household)
    self.fleet = fleet ?? household
  }

  private static let row: [Int64] = [465_100_000, 82_600_000, 1_795_932_600_000]

  /// A message with these members of a location in addition, or instead of those of the same name.
  private static func location(_ members: [String: String]) -> String {
    var all = ["_type": #""location""#, "lat": "46.51", "lon": "8.26", "tst": "1795932600"]
    for (key, value) in members { all[key] = value.isEmpty ? nil : value }
    return "{" + all.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
      + "}"
  }

  private static func text(_ key: String, _ value: String) -> String { location([key: #""\#(value)""#]) }

  public static let all: [OwnTracksCase] = [
    .init("a message is stored", location([:]), .stored([row])),
    .init(
      "GPSLogger for Android sends numbers as text",
      #"{"_type":"location","t":"u","acc":"7.5","alt":"812.4","batt":"63","bs":"false","lat":"46.51","lon":"8.26","#
        + #""tst":"1795932600","vel":"1.5"}"#, .stored([row])),
    .init("blanks around a number", text("lat", " 46.51  "), .stored([row])),
    .init("a plus sign", text("lon", "+8.26"), .stored([row])),
    .init("an exponent", text("lat", "4.651e1"), .stored([row])),
    .init("an exponent with a sign", text("tst", "17959326E+2"), .stored([row])),
    .init("an empty text of an optional value", text("acc", ""), .stored([row])),
    .init("the text null of an optional value", text("alt", "null"), .stored([row])),
    .init("a Boolean as text", text("batt", "true"), .stored([row])),
    .init("a locale's comma in an optional value", text("vel", "3,5"), .stored([row])),
    .init("NaN of an optional value", text("cog", "NaN"), .stored([row])),
    .init("infinity of an optional value", text("vac", "Infinity"), .stored([row])),
    .init(
      "a thousand digits", text("acc", String(repeating: "9", count: 1000)), .stored([row])),
    .init("a Boolean of an optional value", location(["acc": "true"]), .stored([row])),
    .init("a list of an optional value", location(["batt": "[1]"]), .stored([row])),
    .init("null of an optional value", location(["cog": "null"]), .stored([row])),
    .init(
      "a locale's comma in a required value", text("lat", "46,51"), .rejected(400), fleet: .rejected(422)),
    .init("a word in a required value", text("lon", "x"), .rejected(400), fleet: .rejected(422)),
    .init("NaN in a required value", text("lat", "NaN"), .rejected(400), fleet: .rejected(422)),
    .init("hexadecimal digits", text("tst", "0x6B0C"), .rejected(400), fleet: .rejected(422)),
    .init("an empty time", text("tst", ""), .dropped("no_time")),
    .init("the time null", text("tst", "null"), .dropped("no_time")),
    .init("an empty position", text("lat", ""), .dropped("no_position")),
    .init("the time 0", location(["tst": "0"]), .dropped("no_time")),
    .init("the time 0 as text", text("tst", "0"), .dropped("no_time")),
    .init(
      "a time of the first day of 1970", location(["tst": "86399"]), .dropped("no_time")),
    .init("a negative time", location(["tst": "-1795932600"]), .dropped("no_time")),
    .init("a time in milliseconds", location(["tst": "1795932600000"]), .dropped("no_time")),
    .init("an endless time", location(["tst": "1e300"]), .dropped("no_time")),
    .init("no time", location(["tst": ""]), .dropped("no_time")),
    .init("no position", location(["lat": ""]), .dropped("no_position")),
    .init("a latitude beyond the pole", location(["lat": "91"]), .dropped("no_position")),
    .init("an endless longitude", text("lon", "1e99"), .dropped("no_position")),
    .init(
      "an encrypted message", #"{"_type":"encrypted","data":"6v3NlQ"}"#, .rejected(422, "encrypted")),
    .init("a last will", #"{"_type":"lwt","tst":1}"#, .dropped("lwt"), fleet: .dropped("not_a_location")),
    .init(
      "a waypoint", #"{"_type":"waypoint","desc":"x","lat":1,"lon":2,"tst":3}"#, .dropped("waypoint"),
      fleet: .dropped("not_a_location")),
    .init(
      "a transition", #"{"_type":"transition","event":"enter","lat":1,"lon":2,"tst":3}"#,
      .dropped("transition"),
      fleet: .dropped("not_a_location")),
    .init("a card", #"{"_type":"card","name":"x"}"#, .dropped("card"), fleet: .dropped("not_a_location")),
    .init(
      "a type of a later version", #"{"_type":"hologram"}"#, .dropped("other"),
      fleet: .dropped("not_a_location")),
    .init("no message", "{}", .rejected(400), fleet: .rejected(422)),
    .init("an empty list", "[]", .rejected(400), fleet: .rejected(422)),
    .init(
      "a list of messages", "[\(location([:])),\(location(["tst": "1795932700"]))]",
      .stored([row, [row[0], row[1], 1_795_932_700_000]]), fleet: .rejected(422)),
    .init(
      "an encrypted message in a list", #"[\#(location([:])),{"_type":"encrypted","data":"x"}]"#,
      Outcome(status: 200, rows: [row], dropped: "encrypted"), fleet: .rejected(422)),
    .init(
      "a list of encrypted messages", #"[{"_type":"encrypted","data":"x"}]"#, .rejected(422, "encrypted"),
      fleet: .rejected(422)),
    .init("a list with something else", #"[\#(location([:])),5]"#, .rejected(400), fleet: .rejected(422)),
  ]
}
