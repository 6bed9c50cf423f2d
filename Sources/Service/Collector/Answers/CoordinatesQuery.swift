import HTTPServer
import Quantities

/// The query of `GET /coordinates`.
struct CoordinatesQuery: Equatable {
  /// The requested time window.
  enum Window: Equatable {
    case lookback(hours: Int)
    /// A day in UTC.
    case day(CalendarDate)
  }
  /// The format of the response.
  enum Format: Equatable { case coordinates, paths }

  /// An error in a query.
  struct Problem: Error, Equatable { var message: String }

  var window: Window
  var format: Format
  var deviceID: String?
  /// Paths with fewer points are omitted; nil for the default of the format.
  var fewestPoints: Int?

  /// The names of the known query items.
  static let items: Set<String> = [
    "lookback_hours", "date", "format", "device_id", "min_path_length", "token",
  ]

  init(_ request: HTTPRequest, now: Timestamp) throws(Problem) {
    let hours = request.queryValue("lookback_hours")
    switch (hours, request.queryValue("date")) {
    case (_?, _?):
      throw Problem(message: "lookback_hours and date are mutually exclusive; set only one of them")
    case (let hours?, nil):
      guard let number = Int(hours), number > 0, hours.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw Problem(message: "lookback_hours: expected a positive whole number")
      }
      window = .lookback(hours: number)
    case (nil, "today"?): window = .day(now.date)
    case (nil, let date?):
      guard let day = Timestamp(iso8601: "\(date)T00:00:00Z")?.date else {
        throw Problem(message: "date: expected YYYY-MM-DD or today")
      }
      window = .day(day)
    case (nil, nil): window = .lookback(hours: 24)
    }
    switch request.queryValue("format") {
    case nil, "coordinates"?: format = .coordinates
    case "paths"?: format = .paths
    case _?: throw Problem(message: "format: expected coordinates or paths")
    }
    deviceID = request.queryValue("device_id")
    guard let length = request.queryValue("min_path_length") else { return }
    guard length.utf8.count <= 6, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(length),
      number > 0
    else { throw Problem(message: "min_path_length: expected a positive whole number of points") }
    fewestPoints = number
  }

  /// The requested time span. A lookback has no end, because a sender's clock may be slightly ahead.
  func span(now: Timestamp) -> Range<Timestamp> {
    switch window {
    case .lookback(let hours):
      let milliseconds = Int64(hours).multipliedReportingOverflow(by: -3_600_000)
      let start = now + .milliseconds(milliseconds.overflow ? .min : milliseconds.partialValue)
      return start..<Timestamp(milliseconds: .max)
    case .day(let date):
      let start = Timestamp(date)
      return start..<Timestamp(date, millisecondOfDay: Timestamp.millisecondsPerDay)
    }
  }
}
