import Quantities

/// The limits of a group: the uploads that are committed in one transaction.
public struct GroupRules: Equatable, Sendable {
  public var rows: Int
  public var bytes: Int
  /// A group is closed at the latest this long after its first upload.
  public var delay: Duration

  public init(rows: Int = 5000, bytes: Int = 4 << 20, delay: Duration = .milliseconds(10)) {
    self.rows = rows
    self.bytes = bytes
    self.delay = delay
  }
}

/// Uploads in order of arrival, and the decision which of them form the next group.
///
/// Whenever a connection is free, the owner takes a group. So groups are small while connections are free, and grow to
/// the limits while all of them are busy.
public struct GroupQueue<Item> {
  private struct Entry {
    let item: Item
    let rows: Int
    let bytes: Int
    let arrival: Moment
    let isAlone: Bool
  }

  private let rules: GroupRules
  private var entries: [Entry] = []
  private var first = 0
  private var rows = 0
  private var bytes = 0

  public init(_ rules: GroupRules) { self.rules = rules }

  public var count: Int { entries.count - first }

  /// The arrival of the first item; nil if there is none. Returned items keep their arrival.
  public var oldestArrival: Moment? { first < entries.count ? entries[first].arrival : nil }

  /// The time at which the next group is closed by its age; nil if the queue is empty.
  public var nextTimeout: Moment? { oldestArrival.map { $0 + rules.delay } }

  public mutating func append(_ item: Item, rows: Int, bytes: Int, arrival: Moment) {
    entries.append(Entry(item: item, rows: rows, bytes: bytes, arrival: arrival, isAlone: false))
    self.rows += rows
    self.bytes += bytes
  }

  /// Puts items back at the front, in order. Each becomes a group of its own if `areAlone`.
  public mutating func putBack(
    _ items: [(item: Item, rows: Int, bytes: Int, arrival: Moment)], areAlone: Bool
  ) {
    let returned = items.map {
      Entry(item: $0.item, rows: $0.rows, bytes: $0.bytes, arrival: $0.arrival, isAlone: areAlone)
    }
    entries.replaceSubrange(..<first, with: returned)
    first = 0
    rows += items.reduce(0) { $0 + $1.rows }
    bytes += items.reduce(0) { $0 + $1.bytes }
  }

  /// Removes the next group if it is full or old enough; nil otherwise.
  public mutating func takeGroup(now: Moment) -> [Item]? {
    guard let timeout = nextTimeout, rows >= rules.rows || bytes >= rules.bytes || now >= timeout else {
      return nil
    }
    var group: [Item] = []
    var (groupRows, groupBytes) = (0, 0)
    while first < entries.count, groupRows < rules.rows, groupBytes < rules.bytes {
      let entry = entries[first]
      // A group ends before an upload that would make it too large, unless it is the first.
      let isTooMuch = groupRows + entry.rows > rules.rows || groupBytes + entry.bytes > rules.bytes
      if !group.isEmpty, entry.isAlone || isTooMuch { break }
      group.append(entry.item)
      groupRows += entry.rows
      groupBytes += entry.bytes
      first += 1
      if entry.isAlone { break }
    }
    rows -= groupRows
    bytes -= groupBytes
    if first == entries.count || first > 1024 {
      entries.removeSubrange(..<first)
      first = 0
    }
    return group
  }

  /// Removes the items that match a condition.
  public mutating func removeAll(where isRemoved: (Item) -> Bool) {
    let kept = entries[first...].filter { !isRemoved($0.item) }
    entries = kept
    first = 0
    rows = kept.reduce(0) { $0 + $1.rows }
    bytes = kept.reduce(0) { $0 + $1.bytes }
  }
}
