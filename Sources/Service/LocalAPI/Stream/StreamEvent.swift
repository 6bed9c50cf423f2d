import Glibc
import Quantities

/// One message of `GET /stream`: a name, one JSON value, and for records of the log their ID.
///
/// The JSON may contain line breaks between its tokens; they are left out.
public enum StreamEvent: Equatable, Sendable {
  /// The whole ``StatusReport``.
  case status([UInt8])
  /// The epochs of one wake-up: an array of `TPV` objects, as `outrider decode` prints them, with what became of each.
  case fix([UInt8])
  /// The parts `tracker` and `motion` of the status.
  case tracker([UInt8])
  /// One element of `destinations` of the status.
  case queue([UInt8])
  /// The response to `GET /trips`.
  case trip([UInt8])
  /// A row of `GET /events`. It is published after its commit, so that a client that connects later reads it from the log.
  case event(id: Int64, [UInt8])
  /// A `SKY` object, for clients with `?sky=1`.
  case sky([UInt8])
  /// Lines of the receiver, for clients with `?raw=1`.
  case raw([UInt8])
  /// The host suspends, or the program ends: the reason, and the time of return if it is known.
  case closing([UInt8])

  /// The announcement that nothing follows until the time of return, which is nil if it is not known.
  public static func closing(_ reason: StaticString, until: Timestamp?) -> StreamEvent {
    let time = until.map { "\"\($0.iso8601())\"" } ?? "null"
    return .closing(Array("{\"reason\":\"\(reason)\",\"until\":\(time)}".utf8))
  }

  /// The name in the field `event`.
  public var name: String {
    switch self {
    case .status: "status"
    case .fix: "fix"
    case .tracker: "tracker"
    case .queue: "queue"
    case .trip: "trip"
    case .event: "event"
    case .sky: "sky"
    case .raw: "raw"
    case .closing: "closing"
    }
  }

  public var json: [UInt8] {
    switch self {
    case .status(let json), .fix(let json), .tracker(let json), .queue(let json), .trip(let json),
      .event(_, let json), .sky(let json), .raw(let json), .closing(let json):
      json
    }
  }

  /// The ID of the record that the message contains; nil for all others.
  public var id: Int64? {
    guard case .event(let id, _) = self else { return nil }
    return id
  }

  /// What a client must request to get the message; empty if all clients get it.
  var topic: StreamTopics {
    switch self {
    case .sky: .sky
    case .raw: .raw
    default: []
    }
  }

  /// The bytes of the message (HTML Living Standard, section 9.2.6).
  var rendered: [UInt8] { Self.render(name, id: id, json) }

  /// The message to a client for which others were dropped.
  static let lagged = render("lagged", id: nil, Array("{}".utf8))

  private static func render(_ name: String, id: Int64?, _ json: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(json.count + name.utf8.count + 48)
    text.append("event: ")
    text.append(contentsOf: name.utf8)
    if let id {
      text.append("\nid: ")
      text.appendDecimal(id, decimals: 0)
    }
    text.append("\ndata: ")
    // A line break ends a field of the stream; JSON has them only between its tokens.
    let hasBreak = json.withUnsafeBytes { bytes in
      bytes.baseAddress.flatMap { memchr($0, 0x0A, bytes.count) ?? memchr($0, 0x0D, bytes.count) } != nil
    }
    if hasBreak {
      text.append(contentsOf: json.lazy.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
    } else {
      text.append(contentsOf: json)
    }
    text.append("\n\n")
    return text
  }
}

/// What a client of the stream requests besides the messages that all get.
struct StreamTopics: OptionSet, Hashable, Sendable {
  let rawValue: UInt8
  static let sky = StreamTopics(rawValue: 1)
  static let raw = StreamTopics(rawValue: 2)
}
