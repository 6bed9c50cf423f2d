import Database
import HTTPServer
import History
import Quantities
import System
import WebAccess

/// The response to `GET /track`: the points of a device in a period, in the columns of the logger's response, and the
/// gaps between them. Visits, trips and events are empty lists.
///
/// A page ends after ``mostPoints`` points or when the list of gaps is full; `next` continues it.
final class CollectedTrack {
  static let mostPoints = 20_000
  /// The time between two points from which it is a gap, as in the histories of the logger.
  static let longestPause: Int64 = 120_000
  /// The rows of one slice: 2 ms on a desktop computer without optimization.
  private static let rows = 500
  /// A run of the simplification.
  private static let run = 200

  /// The query parameters.
  static let parameters: Set = ["device", "from", "to", "resolution_m", "limit", "after", "token"]

  private let points: CollectedPoints
  private let device: String?
  private let from: Int64
  private let to: Int64
  private let resolution: Int64
  private let limit: Int
  private var position: CollectedPoints.Position
  private var path: PathThinner<TrackColumns.Point>
  private var columns = TrackColumns()
  private var lists = PlaceLists()
  private var progress = Progress()

  private struct Progress {
    var last: TrackColumns.Point?
    var count = 0
    var hasBegun = false
    var isOver = false
    /// The last point of a full page.
    var next: CollectedPoints.Position?
  }

  init(_ request: HTTPRequest, of table: FeatureTable) throws(Problem) {
    points = CollectedPoints(table)
    if let unknown = request.query.first(where: { !Self.parameters.contains($0.name) }) {
      throw Problem(
        400,
        "no query parameter \"\(unknown.name)\"; available: \(Self.parameters.sorted().joined(separator: ", "))"
      )
    }
    // Without the parameter: the locations without a name.
    device = request.queryValue("device")
    resolution = try request.wholeNumber("resolution_m", in: 0...100_000) ?? 0
    limit = Int(
      try request.wholeNumber("limit", in: 1...Int64(Self.mostPoints)) ?? Int64(Self.mostPoints))
    var after: CollectedPoints.Position?
    if let text = request.queryValue("after") {
      guard let position = CollectedPoints.Position(text) else {
        throw Problem(400, "after: expected the value of next in the page before")
      }
      after = position
    }
    let (start, end) = (try request.time("from"), try request.time("to"))
    if let start, let end, start > end { throw Problem(400, "to: must not be before from") }
    to = end?.milliseconds ?? .max
    let known: CollectedPoints.Device?
    do throws(DatabaseError) { known = try points.device(device) } catch {
      throw Problem(503, "the database cannot be read; retry later")
    }
    guard let known else {
      throw Problem(404, "device: no location was received under this name; GET devices lists the names")
    }
    from = start?.milliseconds ?? min(known.last, to) &- 86_400_000
    position = after ?? CollectedPoints.Position(time: from, row: 0)
    // A gap may be in progress at the start.
    do throws(DatabaseError) {
      progress.last = try points.last(
        of: device, through: after ?? CollectedPoints.Position(time: from &- 1, row: .max))
    } catch {
      throw Problem(503, "the database cannot be read; retry later")
    }
    path = PathThinner(
      resolution > 0 ? PathSimplification(tolerance: Double(resolution), longestRun: Self.run) : nil)
  }

  /// The next part of the response; nil at the end.
  func next() throws(DatabaseError) -> [UInt8]? {
    guard !progress.isOver else { return nil }
    var text = progress.hasBegun ? [] : head
    progress.hasBegun = true
    if let slice = try points.next(of: device, after: position, through: to, limit: Self.rows) {
      position = slice.last
      for point in slice.points where progress.next == nil { take(point, to: &text) }
      if progress.next != nil { end(&text) }
    } else {
      end(&text)
    }
    // White space keeps the connection alive.
    return text.isEmpty ? Array("\n".utf8) : text
  }

  private func take(_ point: TrackColumns.Point, to text: inout [UInt8]) {
    if let last = progress.last, point.time &- last.time > Self.longestPause {
      write(path.finish(), to: &text)
      addGap(from: last, to: point)
    }
    progress.last = point
    write(path.take(point, at: point.coordinate), to: &text)
    if progress.count + path.pending >= limit || lists.count >= PlaceLists.most {
      progress.next = CollectedPoints.Position(time: point.time, row: point.id)
    }
  }

  private func addGap(from start: TrackColumns.Point, to end: TrackColumns.Point) {
    lists.add(
      GapSearch.Gap(
        from: Timestamp(milliseconds: start.time), start.coordinate, to: Timestamp(milliseconds: end.time),
        end.coordinate),
      sentence: "no points arrived for this time; the collector does not know why")
  }

  private func write(_ points: [TrackColumns.Point], to text: inout [UInt8]) {
    for point in points {
      columns.add(point, to: &text)
      progress.count += 1
    }
  }

  private var head: [UInt8] {
    var text: [UInt8] = []
    text.append("{\"device\":")
    if let device { text.appendJSONString(device) } else { text.append("null") }
    text.append(key: "from")
    text.append(iso8601: Timestamp(milliseconds: from))
    text.append(key: "to")
    text.append(iso8601: to == .max ? nil : Timestamp(milliseconds: to))
    text.append(key: "zone")
    text.appendJSONString(LocalTime.zoneName ?? "UTC")
    text.append(key: "resolution_m")
    text.append(resolution)
    text.append(key: "motions")
    text += Array("[\(TrackColumns.motions.map { "\"\($0)\"" }.joined(separator: ","))]".utf8)
    text.append(",\"fixes\":[],\"reasons\":[],\n\"points\":[")
    return text
  }

  private func end(_ text: inout [UInt8]) {
    progress.isOver = true
    write(path.finish(), to: &text)
    columns.finish(to: &text)
    text.append("],\n\"gaps\":")
    text += lists.gapList
    text.append(",\n\"visits\":[],\"trips\":[],\"events\":[],\"undated\":0")
    text.append(key: "count")
    text.append(Int64(progress.count))
    text.append(key: "next")
    if let next = progress.next { text.appendJSONString(next.text) } else { text.append("null") }
    text.append("}\n")
  }
}
