import Quantities

/// The records of a virtual device: their text and their checksum.
struct BatchText {
  private let device: Int
  private let name: String
  private let log: String
  private let first: Int

  /// `first` is the first record of the device.
  init(device: Int, first: Int) {
    self.device = device
    self.first = first
    let digits = String(device + 1, radix: 16)
    name = "load-\(device)"
    log = "6b1f6a2e-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  private func latitudeE7(_ record: Int) -> Int64 {
    480_000_000 + Int64(device) * 991 + Int64(record % 5000) * 37
  }
  private func longitudeE7(_ record: Int) -> Int64 {
    110_000_000 + Int64(device) * 577 + Int64(record % 7000) * 53
  }

  /// The checksum of a record, as SQL computes it from its row.
  func checksum(_ record: Int) -> Int64 {
    Int64(record) << 20 + latitudeE7(record) + longitudeE7(record) * 7
  }

  /// The body of a contact without records; it says which log it is, so that the answer has `have`.
  var heartbeat: [UInt8] {
    var text: [UInt8] = []
    text.append(#"{"locations":[],"log":"#)
    text.appendJSONString(log)
    text.append(#","unique_id":"#)
    text.appendJSONString(log)
    appendFirst(to: &text)
    text.append("}")
    return text
  }

  private func appendFirst(to text: inout [UInt8]) {
    text.append(#","first":"#)
    text.appendDecimal(Int64(first), decimals: 0)
  }

  /// The body of a batch; records are one second apart and end at `newest`.
  func body(_ records: Range<Int>, newest: Timestamp) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(records.count * 560 + 200)
    text.append(#"{"locations":["#)
    for record in records {
      if record > records.lowerBound { text.append(",") }
      append(record, at: newest + .seconds(record - records.upperBound), to: &text)
    }
    text.append(#"],"log":"#)
    text.appendJSONString(log)
    text.append(#","from":"#)
    text.appendDecimal(Int64(records.lowerBound), decimals: 0)
    text.append(#","through":"#)
    text.appendDecimal(Int64(records.upperBound - 1), decimals: 0)
    appendFirst(to: &text)
    text.append("}")
    return text
  }

  private func append(_ record: Int, at time: Timestamp, to text: inout [UInt8]) {
    func number(_ key: StaticString, _ value: Int, _ decimals: Int) {
      text.append(key)
      text.appendDecimal(Int64(value), decimals: decimals)
    }
    text.append(#"{"type":"Feature","geometry":{"type":"Point","coordinates":["#)
    text.appendDecimal(longitudeE7(record), decimals: 7)
    text.append(",")
    text.appendDecimal(latitudeE7(record), decimals: 7)
    text.append(#"]},"properties":{"timestamp":""#)
    time.appendISO8601(to: &text, fraction: .milliseconds)
    number(#"","record":"#, record, 0)
    number(#","altitude":"#, 39_000 + record &* 7919 % 4000, 3)
    number(#","speed":"#, record &* 104_729 % 40_000, 3)
    number(#","course":"#, record &* 15_485_863 % 360_000, 3)
    number(#","horizontal_accuracy":"#, 1500 + record &* 31 % 4000, 3)
    number(#","vertical_accuracy":"#, 2500 + record &* 37 % 4000, 3)
    number(#","speed_accuracy":"#, 100 + record % 400, 3)
    number(#","course_accuracy":"#, 1000 + record % 2000, 3)
    text.append(
      #","motion":["driving"],"battery_state":"unplugged","battery_level":0.89,"wifi":"","device_id":"#)
    text.appendJSONString(name)
    text.append(#","unique_id":"#)
    text.appendJSONString(log)
    number(#","fix":"3D","satellites":"#, 6 + record % 9, 0)
    text.append(
      #","accuracy_source":"receiver","time_quality":"receiver","reasons":["period"],"steps":0}}"#)
  }
}
