import Database
import HTTPServer
import History
import Quantities
import Records
import WebAccess

/// The response to `GET /timeline`: the states of the device in a period.
final class TimelineHistory: LogHistory {
  private weak var logger: (any LoggerControls)?
  private let period: HistoryPeriod
  private let reading: GapReading
  private var timeline = Timeline()
  private var rows = Timeline.Row.allCases[...]
  private var hasBegun = false
  private var isRead = false
  private var isOver = false

  init(_ request: HTTPRequest, of logger: any LoggerControls) throws(Problem) {
    self.logger = logger
    period = try HistoryPeriod(request)
    reading = try GapReading(period, of: logger)
  }

  func next() throws(DatabaseError) -> [UInt8]? {
    guard !isOver else { return nil }
    guard isRead else {
      try read()
      return hasBegun ? [] : begin()
    }
    guard let row = rows.popFirst() else {
      isOver = true
      return Array((timeline.isCut ? "],\"truncated\":true}\n" : "]}\n").utf8)
    }
    return json(row)
  }

  private func read() throws(DatabaseError) {
    let isMore = try reading.next { stored, _, gaps in
      for gap in gaps {
        timeline.take(gap, clock: WallClock { _ in .zero }, hasPrivacyZones: reading.hasPrivacyZones)
      }
      guard let stored else { return }
      if let to = period.to, let time = stored.record.time, time > to { return }
      // Positions do not matter here, so hidden locations count as the states that they show.
      timeline.take(stored.record)
    }
    guard !isMore else { return }
    isRead = true
    timeline.take(receiver: logger?.receiverStates ?? [])
  }

  private func begin() -> [UInt8] {
    hasBegun = true
    return period.head + Array(",\"rows\":[\n".utf8)
  }

  private func json(_ row: Timeline.Row) -> [UInt8] {
    var text: [UInt8] = []
    text.append(row == Timeline.Row.allCases.first ? "{\"name\":" : ",\n{\"name\":")
    text.appendJSONString(row.rawValue)
    text.append(",\"spans\":[")
    for (index, span) in timeline.spans(of: row, from: period.from, to: period.to).enumerated() {
      text.append(index == 0 ? "[" : ",[")
      text.append(span.start.milliseconds)
      text.append(",")
      text.append(optional: span.end?.milliseconds)
      text.append(",")
      text.appendJSONString(span.state)
      text.append(",")
      text.appendJSONString(span.reason)
      text.append("]")
    }
    text.append("]}")
    return text
  }
}
