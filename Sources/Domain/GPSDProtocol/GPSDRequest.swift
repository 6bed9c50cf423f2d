import JSON
import Quantities

/// A request of a client, as gpsd_json(5) defines them. Clients only read: none of them changes the receiver.
enum GPSDRequest: Equatable, Sendable {
  case version
  case devices
  case device
  case poll
  /// `?WATCH;` without changes, and `?WATCH={…};`.
  case watch(WatchPolicy.Change?)
  /// A request that would configure the receiver.
  case configuration
  /// `?WATCH=` with a value that is not an object of the known types.
  case invalidWatch
  /// Any other text, shortened.
  case unknown(String)

  /// The longest part of an unknown request that the answer repeats, in bytes.
  private static let longestQuotation = 60
  private static let limits = CheckedJSON.Limits(depth: 4, values: 64)

  /// Reads one request without its end. White space around it is ignored.
  init(_ text: some Collection<UInt8>) {
    let words = text.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    let name = words.first.map { Self.trimmed($0) } ?? ""
    let value = words.count > 1 ? words[1] : nil
    switch (name, value) {
    case ("?VERSION", nil): self = .version
    case ("?DEVICES", nil): self = .devices
    case ("?DEVICE", nil): self = .device
    case ("?DEVICE", _): self = .configuration
    case ("?POLL", nil): self = .poll
    case ("?WATCH", nil): self = .watch(nil)
    case ("?WATCH", let value?):
      let change = try? CheckedJSON(Array(value), limits: Self.limits).decode(WatchPolicy.Change.self)
      self = change.map { GPSDRequest.watch($0) } ?? .invalidWatch
    default: self = .unknown(Self.trimmed(text.prefix(Self.longestQuotation)))
    }
  }

  private static func trimmed(_ text: some Collection<UInt8>) -> String {
    let isSpace: (UInt8) -> Bool = { $0 <= 0x20 }
    let start = text.drop(while: isSpace)
    return String(decoding: Array(Array(start).reversed().drop(while: isSpace).reversed()), as: UTF8.self)
  }
}

/// What a client watches.
public struct WatchPolicy: Equatable, Sendable {
  /// The members of `?WATCH={…}` that are given.
  struct Change: Decodable, Equatable, Sendable {
    var enable: Bool?
    var json: Bool?
    var nmea: Bool?
    var raw: Int?
    var scaled: Bool?
    var timing: Bool?
    var split24: Bool?
    var pps: Bool?
    var device: String?
  }

  public private(set) var isEnabled = false
  private(set) var json = false
  private(set) var nmea = false
  private(set) var raw = 0
  private var scaled = false
  private var timing = false
  private var split24 = false
  private var pps = false
  /// The path of the only device that the client watches; nil for all.
  private(set) var device: String?

  /// True if the client gets TPV and SKY objects.
  public var wantsReports: Bool { isEnabled && json }
  /// True if the client gets the sentences of the receiver.
  public var wantsSentences: Bool { isEnabled && (nmea || raw > 0) }

  /// True if the client gets nothing but the answers to its requests.
  var hasNoForm: Bool { !json && !nmea && raw == 0 }

  /// Applies the given members. A change without `enable` enables watching, as in gpsd.
  mutating func apply(_ change: Change) {
    isEnabled = change.enable ?? true
    json = change.json ?? json
    nmea = change.nmea ?? nmea
    raw = change.raw.map { min(max($0, 0), 2) } ?? raw
    scaled = change.scaled ?? scaled
    timing = change.timing ?? timing
    split24 = change.split24 ?? split24
    pps = change.pps ?? pps
    if let name = change.device { device = name.isEmpty ? nil : name }
  }

  /// Ends watching: the device does not exist.
  mutating func disable() { (isEnabled, device) = (false, nil) }

  /// Appends the WATCH object with its line end.
  func append(to text: inout [UInt8]) {
    text.append(#"{"class":"WATCH""#)
    func append(_ key: StaticString, _ isOn: Bool) {
      text.append(key)
      text.append(isOn ? "true" : "false")
    }
    append(#","enable":"#, isEnabled)
    append(#","json":"#, json)
    append(#","nmea":"#, nmea)
    text.append(#","raw":"#)
    text.appendPadded(raw, digits: 1)
    append(#","scaled":"#, scaled)
    append(#","timing":"#, timing)
    append(#","split24":"#, split24)
    append(#","pps":"#, pps)
    if let device {
      text.append(#","device":"#)
      text.appendJSONString(device)
    }
    text.append("}\r\n")
  }
}

/// Divides the bytes of a client into requests, which end with a semicolon outside of strings, with a line end, or with
/// their JSON object: gpsd needs nothing after it, and gps3 sends nothing.
struct RequestReader: Equatable, Sendable {
  /// The longest request in bytes.
  static let limit = 4096

  private var request: [UInt8] = []
  private var isInString = false
  private var isEscaped = false
  /// The objects and arrays that are open.
  private var depth = 0
  /// True once a request was longer than ``limit``; nothing is read any more.
  private(set) var isOverlong = false

  /// Takes bytes and calls `handle` for each complete request that is not blank, until it returns false.
  mutating func take(_ bytes: some Sequence<UInt8>, _ handle: (GPSDRequest) -> Bool) {
    for byte in bytes where !isOverlong {
      let isEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: ";") && !isInString
      if !isEnd {
        let closesObject = follow(byte)
        request.append(byte)
        isOverlong = request.count > Self.limit
        if !closesObject || isOverlong { continue }
      }
      let isBlank = request.allSatisfy { $0 <= 0x20 }
      let read = GPSDRequest(request)
      request.removeAll(keepingCapacity: request.capacity <= 256)
      (isInString, isEscaped, depth) = (false, false, 0)
      if !isBlank, !handle(read) { return }
    }
    if isOverlong { request = [] }
  }

  /// Follows the strings and braces of a request. Returns true if the byte closes its object.
  private mutating func follow(_ byte: UInt8) -> Bool {
    guard isInString else {
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        return depth == 0
      case _: break
      }
      return false
    }
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
    }
    return false
  }
}
