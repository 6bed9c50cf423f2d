import History
import FoundationEssentials
import JSON
import LocalAPI
import Quantities
import Records

/// Renders trips as text, and the trips of the log as JSON.
enum TripText {
  /// The response of the logger to a request about the running trip.
  struct Answer: Decodable {
    var running: Bool
    var mode: String?
    var manual: Bool?
    var start: String?
    var duration_s: Double?
    var distance_m: Double?
    /// The trip that this request ended.
    var ended: StatusReport.Trip?
  }

  /// Returns one line; nil for a response of another version.
  static func line(
    _ request: TripRequest, answer body: [UInt8], _ units: UnitSystem = .metric,
    clock: WallClock = WallClock()
  ) -> String? {
    guard let answer = try? CheckedJSON(body).decode(Answer.self) else { return nil }
    if let ended = answer.ended { return "trip ended: \(describe(ended, units, clock))" }
    guard answer.running, let mode = answer.mode else {
      switch request {
      case .status, .start, .mode: return "no trip is running; start one with outrider trip start"
      case .stop: return "trip ended"
      }
    }
    var trip = StatusReport.Trip(
      mode: mode, manual: answer.manual ?? true, distance_m: answer.distance_m ?? 0)
    (trip.start, trip.duration_s) = (answer.start, answer.duration_s)
    switch request {
    case .start: return "trip started: \(mode)"
    case .mode: return "trip mode: \(mode)"
    case .status, .stop: return "trip running: \(describe(trip, units, clock))"
    }
  }

  private static func describe(_ trip: StatusReport.Trip, _ units: UnitSystem, _ clock: WallClock) -> String {
    var parts = [trip.mode]
    if let length = trip.duration_s { parts.append(StatusText.duration(length)) }
    parts.append(units.distance(trip.distance_m))
    if let start = trip.start { parts.append("since \(Timestamp(iso8601: start).map(clock.text) ?? start)") }
    parts.append(trip.manual ? "started by hand" : "started automatically")
    return parts.joined(separator: ", ")
  }

  // MARK: Trips of the log

  static let header = "start                      duration    distance  mode"

  static func line(_ trip: TripRecord, _ units: UnitSystem, clock: WallClock = WallClock()) -> String {
    let start = trip.start.time.map(clock.text) ?? "undated"
    let length = StatusText.duration(Double(trip.durationMilliseconds) / 1000)
    let distance = units.distance(Double(trip.distanceMillimetres) / 1000)
    return start.padded(to: 25) + padded(length, to: 10) + padded(distance, to: 12)
      + "  \(trip.mode.rawValue), \(origin(of: trip))"
  }

  private static func origin(of trip: TripRecord) -> String {
    guard !trip.isReconstructed else { return "reconstructed: straight line, no fix on the way" }
    let ending =
      switch trip.ending {
      case .asked: "ended on request"
      case .stop: "ended by a stop"
      case .ignition: "ended by ignition off"
      case .noFix: "ended without a fix"
      case .pause: "ended by the automatic pause"
      }
    return "\(ending)\(trip.isManual ? ", started by hand" : "")"
  }

  private static func padded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 1)) + text
  }

  private struct Row: Encodable {
    var start: String?
    var end: String?
    var mode: String
    var manual: Bool
    var ending: String
    var duration_s: Double
    var distance_m: Double
    var steps: Int32?
    var reconstructed: Bool
  }

  /// Returns one JSON object; times in UTC, no coordinates.
  static func json(_ trip: TripRecord) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let row = Row(
      start: trip.start.time?.iso8601(), end: trip.end.time?.iso8601(), mode: trip.mode.rawValue,
      manual: trip.isManual, ending: "\(trip.ending.word)",
      duration_s: Double(trip.durationMilliseconds) / 1000,
      distance_m: Double(trip.distanceMillimetres) / 1000, steps: trip.steps,
      reconstructed: trip.isReconstructed)
    return (try? encoder.encode(row)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
