import Database
import HTTPServer
import History
import Quantities
import Records
import Store
import WebAccess

/// The responses to `GET /visits` and `GET /trips/past`: the visits or ended trips of a period, in the order of the log.
final class PlacesHistory: LogHistory {
  private weak var logger: (any LoggerControls)?
  private let period: HistoryPeriod
  private let slices: LogSlices
  private let isOfVisits: Bool
  private let end: RecordID?
  private var lists = PlaceLists()
  private var isOver = false

  init(_ request: HTTPRequest, of logger: any LoggerControls) throws(Problem) {
    self.logger = logger
    isOfVisits = request.path == "/visits"
    let period = try HistoryPeriod(request)
    self.period = period
    let after = try request.wholeNumber("after", in: 0...RecordID.highest.rawValue)
    do throws(DatabaseError) {
      let reader = try LogReader(directory: logger.logDirectory)
      var start = after.map(RecordID.init)
      if start == nil, let from = period.from { start = try reader.lastID(before: from) }
      if let to = period.to { end = try reader.lastID(before: to + .milliseconds(1)) } else { end = nil }
      slices = LogSlices(reader, after: start ?? .zero)
    } catch { throw LogSlices.unreadable(error, by: logger) }
  }

  func next() throws(DatabaseError) -> [UInt8]? {
    guard !isOver else { return nil }
    let records = try slices.next()
    for stored in logger?.disclosed(records) ?? [] {
      guard let time = stored.record.time, period.contains(time) else { continue }
      switch stored.record.body {
      case .visit(let visit) where isOfVisits: lists.add(visit, stored.id)
      case .trip(let trip) where !isOfVisits: lists.add(trip, stored.id)
      default: break
      }
    }
    guard let last = records.last?.id, end.map({ last < $0 }) ?? true else { return finish(nil) }
    return lists.count >= PlaceLists.most ? finish(last) : []
  }

  private func finish(_ next: RecordID?) -> [UInt8] {
    isOver = true
    var text = Array((isOfVisits ? "{\"visits\":" : "{\"trips\":").utf8)
    text += isOfVisits ? lists.visitList : lists.tripList
    text.append(key: "next")
    text.append(optional: next?.rawValue)
    text.append("}\n")
    return text
  }
}
