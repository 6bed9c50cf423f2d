import JSON
import Quantities
import Records

/// The positions that brokers keep for later subscribers, and those of them that a privacy zone hides and the broker has to
/// discard.
///
/// A message that is not acknowledged may be at the broker, too: then both positions count. Kept across restarts as
/// ``text``.
public struct RetainedPositions: Equatable, Sendable {
  /// The retained message of one topic of a destination.
  public struct Topic: Codable, Equatable, Hashable, Sendable {
    /// The destination.
    public var name: String
    /// The URL of the broker, without user and password.
    public var broker: String
    public var topic: String

    public init(name: String, broker: String, topic: String) {
      (self.name, self.broker, self.topic) = (name, broker, topic)
    }
  }

  /// A position in 1e-7 degrees, with its accuracy in mm.
  private struct Position: Codable, Equatable, Sendable {
    var latitude: Int32
    var longitude: Int32
    var accuracy: Int32?

    init(_ location: LocationRecord) {
      latitude = location.coordinate.latitudeE7
      longitude = location.coordinate.longitudeE7
      accuracy = location.horizontalAccuracyMillimetres
    }

    /// The location; nil for a damaged position.
    var location: LocationRecord? {
      guard let coordinate = Coordinate(latitudeE7: latitude, longitudeE7: longitude) else { return nil }
      var location = LocationRecord(coordinate: coordinate, deviceID: "")
      location.horizontalAccuracyMillimetres = accuracy
      return location
    }
  }

  private struct Entry: Codable, Equatable, Sendable {
    var topic: Topic
    /// The acknowledged message; nil if the broker has none.
    var stored: Position?
    /// The message that is not acknowledged.
    var sent: Position?
    /// The time of the newest position that was considered, in ms of UTC.
    var time: Int64
    /// True if the broker has to discard the message.
    var isDue: Bool
  }

  /// The maximum number of topics; the oldest ones that are not due go first.
  static let most = 32
  private var entries: [Entry] = []

  public init() {}

  private mutating func change(_ topic: Topic, time: Timestamp?, _ change: (inout Entry) -> Void) {
    var entry = Entry(topic: topic, time: 0, isDue: false)
    if let index = entries.firstIndex(where: { $0.topic == topic }) { entry = entries.remove(at: index) }
    entry.time = max(entry.time, time?.milliseconds ?? 0)
    change(&entry)
    entries.append(entry)
    if entries.count > Self.most { entries.remove(at: entries.firstIndex { !$0.isDue } ?? 0) }
  }

  /// Notes that a retained message is being sent.
  public mutating func sending(_ location: LocationRecord, at time: Timestamp?, to topic: Topic) {
    change(topic, time: time) { $0.sent = Position(location) }
  }

  /// Notes that the broker has acknowledged the message: it has replaced the one before.
  public mutating func stored(_ location: LocationRecord, in topic: Topic) {
    change(topic, time: nil) { ($0.stored, $0.sent, $0.isDue) = (Position(location), nil, false) }
  }

  /// Notes the newest location of the log after a start: it may have been sent without a note.
  public mutating func found(_ location: LocationRecord, at time: Timestamp?, for topic: Topic) {
    if let entry = entries.first(where: { $0.topic == topic }), entry.time >= time?.milliseconds ?? 0 {
      return
    }
    sending(location, at: time, to: topic)
  }

  /// Notes that the broker has discarded the message.
  public mutating func erased(_ topic: Topic) {
    guard let index = entries.firstIndex(where: { $0.topic == topic }) else { return }
    (entries[index].stored, entries[index].sent, entries[index].isDue) = (nil, nil, false)
  }

  /// Decides which messages a broker has to discard. A message stays due although the zone goes: it was not to be there.
  public mutating func decide(hides: (LocationRecord) -> Bool) {
    for index in entries.indices where !entries[index].isDue {
      let positions = [entries[index].stored, entries[index].sent].compactMap { $0?.location }
      entries[index].isDue = positions.contains(where: hides)
    }
  }

  /// The topics whose message the broker of a destination has to discard.
  public func due(name: String, broker: String) -> [Topic] {
    entries.filter { $0.isDue && $0.topic.name == name && $0.topic.broker == broker }.map(\.topic)
  }

  /// The maximum length of ``text`` in bytes.
  static let longestText = 8000

  /// The state for the next start. What is too long for a saved state is left out: the oldest ones that are not due first.
  public var text: String {
    var left = entries
    while true {
      let text = (try? SortedJSON.encode(left)).map { String(decoding: $0, as: UTF8.self) } ?? ""
      guard text.utf8.count > Self.longestText, !left.isEmpty else { return text }
      left.remove(at: left.firstIndex { !$0.isDue } ?? 0)
    }
  }

  /// Restores the ``text`` of an earlier run; an unreadable one is ignored.
  public init(_ text: String) {
    guard let json = try? CheckedJSON(Array(text.utf8)), let saved: [Entry] = try? json.decode() else {
      return
    }
    entries = Array(saved.suffix(Self.most))
  }
}

/// What happens to the retained messages of a transport.
public enum RetainedMessageEvent: Sendable {
  case sending(LocationRecord, at: Timestamp?, topic: String)
  case stored(LocationRecord, topic: String)
}
