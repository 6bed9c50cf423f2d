import Quantities
import Records
import Scheduling
import System

extension Scheduling.Notification {
  /// The notification of an event or a visit; nil for any other record.
  ///
  /// | key | content |
  /// | --- | --- |
  /// | `kind` | as in the log; `visit_arrived` and `visit_left` |
  /// | `device_id`, `detail` | text |
  /// | `time` | ISO 8601 in UTC; absent while the date is unknown |
  /// | `value` | the value of this kind of event; absent if it has none |
  /// | `fields` | named values of the event; absent if it has none |
  /// | `latitude`, `longitude` | of the visit, else of the last position; absent before the first |
  init?(_ record: LogRecord, deviceID: String, lastLocation: LogRecord?) {
    switch record.body {
    case .event(let event):
      var coordinate: Coordinate?
      if case .location(let location)? = lastLocation?.body { coordinate = location.coordinate }
      self.init(
        event,
        json: Self.json(
          event.kind.rawValue, record.time, deviceID, event.detail, event.value, event.withoutPosition.fields,
          coordinate))
    case .visit(let visit):
      let kind = visit.departure == nil ? Self.visitArrived : Self.visitLeft
      self.init(
        visit, json: Self.json(kind, record.time, deviceID, "", nil, EventFields(), visit.coordinate))
    case .location, .trip, .action: return nil
    }
  }

  /// The notification of a test.
  init(testOf deviceID: String, at time: Timestamp?) {
    let line = "test: a notification that was asked for"
    self.init(
      test: line, json: Self.json(Self.test, time, deviceID, line, nil, EventFields(), nil))
  }

  private static func json(
    _ kind: String, _ time: Timestamp?, _ deviceID: String, _ detail: String, _ value: Int64?,
    _ fields: EventFields, _ coordinate: Coordinate?
  ) -> [UInt8] {
    var text = Array(#"{"kind":"#.utf8)
    text.appendJSONString(kind)
    text += Array(#","device_id":"#.utf8)
    text.appendJSONString(deviceID)
    if let time {
      text += Array(#","time":"#.utf8)
      text.appendJSONString(time.iso8601())
    }
    text += Array(#","detail":"#.utf8)
    text.appendJSONString(detail)
    if let value { text += Array(#","value":\#(value)"#.utf8) }
    if !fields.isEmpty { text += Array(#","fields":\#(fields.json)"#.utf8) }
    if let coordinate {
      text += Array(#","latitude":"#.utf8)
      text.appendDecimal(Int64(coordinate.latitudeE7), decimals: 7)
      text += Array(#","longitude":"#.utf8)
      text.appendDecimal(Int64(coordinate.longitudeE7), decimals: 7)
    }
    return text + Array("}".utf8)
  }
}

extension HookQueue.Event {
  /// The kind of a call for several notifications.
  static let summary = "summary"
  /// The timeout of the last call before the device goes down.
  static let finalTimeout = Duration.seconds(5)

  /// The call for a message, as JSON or as text. If it is too long for the input of a program, its oldest notifications are
  /// only counted.
  init(_ message: NotificationMessage, deviceID: String, asText: Bool) {
    var listed = message.notifications
    var more = message.more
    func body() -> [UInt8] {
      asText ? Self.lines(listed, more: more) : Self.json(listed, more: more, deviceID: deviceID)
    }
    while listed.count > 1, body().count > ChildProgram.longestInput {
      listed.removeFirst()
      more += 1
    }
    let only = listed.count == 1 && more == 0 ? listed.first : nil
    self.init(
      kind: only?.kind ?? Self.summary, body: body(),
      headers: asText ? Self.headers(listed, more: more, deviceID: deviceID) : [],
      timeout: message.isFinal ? Self.finalTimeout : HookQueue.callTimeout)
  }

  private static func lines(_ listed: [Scheduling.Notification], more: Int) -> [UInt8] {
    var lines = listed.map(\.line)
    if more > 0 { lines.append("and \(more) more") }
    return Array(lines.joined(separator: "\n").utf8)
  }

  /// A single notification is its own object, several are a list in one.
  private static func json(_ listed: [Scheduling.Notification], more: Int, deviceID: String) -> [UInt8] {
    if listed.count == 1, more == 0, let only = listed.first { return only.json }
    var text = Array(#"{"kind":"\#(summary)","device_id":"#.utf8)
    text.appendJSONString(deviceID)
    text += Array(#","detail":"#.utf8)
    text.appendJSONString("\(listed.count + more) notifications")
    text += Array(#","more":\#(more),"events":["#.utf8)
    text += listed.map(\.json).joined(separator: [UInt8(ascii: ",")])
    return text + Array("]}".utf8)
  }

  // MARK: Headers

  /// The headers of ntfy (docs.ntfy.sh/publish): the title, the priority from 1 to 5, and tags.
  private static func headers(
    _ listed: [Scheduling.Notification], more: Int, deviceID: String
  ) -> [Header] {
    let only = listed.count == 1 && more == 0 ? listed.first : nil
    let subject = only?.kind.replacing("_", with: " ") ?? "\(listed.count + more) notifications"
    let isFinal = listed.contains(where: \.isFinal)
    let priority = isFinal ? 5 : listed.map { Self.priority($0.level) }.max() ?? 3
    var tags: [String] = priority > 3 ? ["warning"] : []
    for tag in listed.map(\.group.rawValue) + (only.map { [$0.kind] } ?? []) where !tags.contains(tag) {
      tags.append(tag)
    }
    return [
      Header(name: "Title", value: headerText(deviceID.isEmpty ? subject : "\(deviceID): \(subject)")),
      Header(name: "Priority", value: "\(priority)"),
      Header(name: "Tags", value: tags.joined(separator: ",")),
    ]
  }

  private static func priority(_ level: LogLevel) -> Int {
    switch level {
    case .error: 5
    case .warning: 4
    case .notice: 3
    case .debug: 2
    }
  }

  /// The text as the value of a header: as it is, or as an encoded word (RFC 2047) if it is not printable ASCII.
  static func headerText(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return text }
    return "=?UTF-8?B?\(base64(Array(text.utf8)))?="
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for place in 0..<4 {
        let isPadding = place > group.count
        text.append(isPadding ? UInt8(ascii: "=") : letters[Int(bits >> UInt32(18 - 6 * place) & 63)])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
