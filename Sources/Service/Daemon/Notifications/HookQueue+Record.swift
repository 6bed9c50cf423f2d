import Quantities
import Records

extension HookQueue.Event {
  /// The notification of a record about the automatic pause, a trip, a visit, a zone or power; nil for any other record.
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
    var coordinate: Coordinate?
    if case .location(let location)? = lastLocation?.body { coordinate = location.coordinate }
    let (kind, detail, value): (String, String, Int64?)
    var fields = EventFields()
    switch record.body {
    case .event(let event):
      guard event.kind.definition.effects.contains(.notifies) else { return nil }
      (kind, detail, value) = (event.kind.rawValue, event.detail, event.value)
      fields = event.fields
    case .visit(let visit):
      coordinate = visit.coordinate
      (kind, detail, value) = (visit.departure == nil ? "visit_arrived" : "visit_left", "", nil)
    case .location, .trip, .action: return nil
    }
    var text = Array(#"{"kind":"#.utf8)
    text.appendJSONString(kind)
    text += Array(#","device_id":"#.utf8)
    text.appendJSONString(deviceID)
    if let time = record.time {
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
    text += Array("}".utf8)
    self.init(kind: kind, json: text)
  }
}
