import Database
import HTTPServer
import History
import JSON
import Quantities
import Records
import WebAccess

/// The response to `GET /why`: the gaps of a period with their reasons, as `outrider why --json` prints them.
final class WhyHistory: LogHistory {
  private let reading: GapReading
  private var count = 0
  private var hasBegun = false
  private var isOver = false

  init(_ request: HTTPRequest, of logger: any LoggerControls) throws(Problem) {
    let longest = try HistoryPeriod.duration("longer", request) ?? .seconds(120)
    reading = try GapReading(try HistoryPeriod(request), longest: longest, of: logger)
  }

  func next() throws(DatabaseError) -> [UInt8]? {
    guard !isOver else { return nil }
    var text = Array((hasBegun ? "" : "{\"gaps\":[").utf8)
    hasBegun = true
    let isRead = try reading.next { _, _, gaps in
      for gap in gaps {
        guard let json = try? SortedJSON.encode(GapReport(gap, hasPrivacyZones: reading.hasPrivacyZones))
        else {
          continue
        }
        if count > 0 { text.append(",\n") }
        text += json
        count += 1
      }
    }
    guard isRead else {
      isOver = true
      return text + Array("]}\n".utf8)
    }
    return text
  }
}
