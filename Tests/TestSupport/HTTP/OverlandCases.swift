/// Elements of Overland bodies at the HTTP border of a receiving server. Each is confirmed with 200, alone and between two
/// locations, which are stored in any case.
public struct OverlandCase: Sendable {
  /// What becomes of the element.
  public struct Outcome: Sendable {
    /// Latitude and longitude in 1e-7 degrees and the time in ms; nil if no location is stored.
    public var row: [Int64]?
    /// The reason by which it is counted; nil for none.
    public var dropped: String?

    static func stored(_ row: [Int64]) -> Outcome { Outcome(row: row) }
    static func dropped(_ reason: String) -> Outcome { Outcome(dropped: reason) }
    /// Stored as another kind of record, or as received.
    static let other = Outcome()
  }

  public var promise: String
  public var element: String
  /// By `outrider collect`, and by `outrider-collector`.
  public var household: Outcome
  public var fleet: Outcome

  private init(_ promise: String, _ element: String, _ household: Outcome, fleet: Outcome? = nil) {
    (self.promise, self.element, self.household) = (promise, element, household)
    self.fleet = fleet ?? household
  }

  /// The locations before and after the element, and their rows.
  public static let neighbours = [feature(timestamp(0)), feature(timestamp(2))]
  public static let neighbourRows = [row(0), row(2)]

  /// The body of a request with these elements.
  public static func body(_ elements: [String]) -> String {
    #"{"locations":[\#(elements.joined(separator: ","))]}"#
  }

  private static let point = #"{"type":"Point","coordinates":[8.26,46.51]}"#

  private static func row(_ second: Int64) -> [Int64] {
    [465_100_000, 82_600_000, 1_795_932_600_000 + second * 1000]
  }

  private static func timestamp(_ second: Int) -> String { #""timestamp":"2026-11-29T06:10:0\#(second)Z""# }

  private static func feature(_ properties: String, at geometry: String = point) -> String {
    #"{"type":"Feature","geometry":\#(geometry),"properties":{\#(properties)}}"#
  }

  private static func located(_ coordinates: String) -> String {
    feature(timestamp(1), at: #"{"type":"Point","coordinates":\#(coordinates)}"#)
  }

  /// A location with a further member.
  private static func with(_ member: String) -> String { feature("\(timestamp(1)),\(member)") }

  public static let all: [OverlandCase] = [
    .init("a location", feature(timestamp(1)), .stored(row(1))),
    .init("no time", feature(#""speed":1"#), .dropped("no_time")),
    .init("the time null", feature(#""timestamp":null"#), .dropped("no_time")),
    .init("the time as a number", feature(#""timestamp":1795932601"#), .dropped("no_time")),
    .init("the time as a word", feature(#""timestamp":"now""#), .dropped("no_time")),
    .init("the time 0", feature(#""timestamp":"1970-01-01T00:00:00Z""#), .dropped("no_time")),
    .init("a time of 2200", feature(#""timestamp":"2200-01-01T00:00:00Z""#), .dropped("no_time")),
    .init(
      "a time before GPS", feature(#""timestamp":"1975-01-01T00:00:00Z""#),
      .stored([465_100_000, 82_600_000, 157_766_400_000]), fleet: .dropped("no_time")),
    .init("no properties", #"{"type":"Feature","geometry":\#(point)}"#, .dropped("no_time")),
    .init("properties that are a list", #"{"geometry":\#(point),"properties":[]}"#, .dropped("no_time")),
    .init("an empty object", "{}", .dropped("no_time")),
    .init("no geometry", #"{"properties":{\#(timestamp(1))}}"#, .dropped("no_position")),
    .init("the geometry null", feature(timestamp(1), at: "null"), .dropped("no_position")),
    .init(
      "another geometry", feature(timestamp(1), at: #"{"type":"LineString","coordinates":[[8,46],[9,47]]}"#),
      .dropped("no_position")),
    .init(
      "an unknown geometry", feature(timestamp(1), at: #"{"type":"Blob","coordinates":[8.26,46.51]}"#),
      .dropped("no_position")),
    .init("no coordinates", located("[]"), .dropped("no_position")),
    .init("one coordinate", located("[8.26]"), .dropped("no_position")),
    .init("coordinates as texts", located(#"["8.26","46.51"]"#), .dropped("no_position")),
    .init("a coordinate null", located("[8.26,null]"), .dropped("no_position")),
    .init("a latitude beyond the pole", located("[8.26,91]"), .dropped("no_position")),
    .init("a longitude beyond the date line", located("[181,46.51]"), .dropped("no_position")),
    .init("a huge coordinate", located("[1e300,46.51]"), .dropped("no_position")),
    .init("an endless coordinate", located("[8.26,1e999]"), .dropped("no_position")),
    .init("an altitude null", located("[8.26,46.51,null]"), .stored(row(1))),
    .init("an altitude as text", located(#"[8.26,46.51,"x"]"#), .stored(row(1))),
    .init("an altitude", located("[8.26,46.51,812.4]"), .stored(row(1))),
    .init("a speed as text", with(#""speed":"fast""#), .stored(row(1))),
    .init("the accuracy null", with(#""horizontal_accuracy":null"#), .stored(row(1))),
    .init("a huge speed", with(#""speed":1e300"#), .stored(row(1))),
    .init("an endless speed", with(#""speed":1e999"#), .stored(row(1))),
    .init("an endless value of an unknown member", with(#""x":{"y":[-1e999]}"#), .stored(row(1))),
    .init(
      "a speed of 500 digits", with(#""speed":1\#(String(repeating: "0", count: 499))"#), .dropped("no_time"),
      fleet: .dropped("invalid")),
    .init(
      "a repeated key", with(#""speed":1,"speed":2"#), .stored(row(1)), fleet: .dropped("invalid")),
    .init(
      "a thousand members", with((0...1000).map { #""x\#($0)":1"# }.joined(separator: ",")), .stored(row(1)),
      fleet: .dropped("invalid")),
    .init("a NUL in an unknown member", with(#""x":"a\u0000""#), .stored(row(1))),
    .init("a NUL in the name of a network", with(#""wifi":"a\u0000""#), .stored(row(1))),
    .init("a charge of another type", with(#""battery_level":true"#), .stored(row(1))),
    .init("an unknown type", with(#""type":"hologram""#), .stored(row(1))),
    .init("an action of another type", with(#""action":5"#), .stored(row(1))),
    .init("a trip", with(#""type":"trip""#), .other),
    .init("an action", with(#""action":"started""#), .other),
    .init(
      "a visit without a point", feature(#""action":"visit",\#(timestamp(1))"#, at: "null"), .other),
    .init("a trip without a time", feature(#""type":"trip""#), .other, fleet: .dropped("no_time")),
    .init(
      "an action without a name", with(#""action":"""#), .other, fleet: .dropped("invalid")),
    .init("a number", "5", .dropped("not_a_feature")), .init("null", "null", .dropped("not_a_feature")),
    .init("a list", "[]", .dropped("not_a_feature")), .init("a text", #""x""#, .dropped("not_a_feature")),
  ]

  /// Bodies without an element that can be stored, and what is no list.
  public static let bodies: [(body: String, household: Int, fleet: Int)] = [
    (#"{"locations":[]}"#, 200, 200), (#"{"type":"FeatureCollection","features":[]}"#, 200, 200),
    ("{}", 400, 422), (#"{"locations":5}"#, 400, 422), (#"{"locations":[NaN]}"#, 400, 422),
  ]
}
