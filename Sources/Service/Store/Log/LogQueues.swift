import Records

/// The configured destinations, as far as the log knows them. "Unknown" and "none" are different values.
enum Registration: Equatable {
  /// None was registered since the log was opened.
  case unknown
  /// These are to be registered; perhaps not all of them have a cursor in the file.
  case pending(Set<String>)
  /// These are registered.
  case complete(Set<String>)
}

/// The queues of the destinations: their cursors as the file holds them, and counts of queued records.
///
/// A cursor is stored here after it is durable. The counts are a cache: a queue is counted once and then followed.
struct LogQueues {
  /// All cursors that the file holds, by destination.
  private(set) var cursors: [String: CursorRow]
  /// The configured destinations, as far as they are known.
  private(set) var registration = Registration.unknown
  /// The id after which the search for the next batch starts, by destination: none of the records before it is queued.
  private var searched: [String: Int64] = [:]
  /// The events in the queues of the destinations whose queues contain any.
  private var events: [String: EventSelection] = [:]
  /// Number of queued records by destination, without late ones and events, for the queues that were counted.
  private var counts: [String: Int] = [:]

  init(_ cursors: [CursorRow]) {
    self.cursors = Dictionary(cursors.map { ($0.destination, $0) }) { _, last in last }
  }

  subscript(destination: String) -> CursorRow? { cursors[destination] }

  // MARK: Cursors

  /// Takes over the destinations that are to be registered, before a step that can fail. Until ``endRegistration()``
  /// retention deletes nothing, unless the same destinations are registered already.
  mutating func announce(_ events: [String: EventSelection]) {
    let names = Set(events.keys)
    if registration != .complete(names) { registration = .pending(names) }
    for (name, selection) in events { setEvents(selection, for: name) }
  }

  /// Completes the registration: every announced destination has a cursor in the file.
  mutating func endRegistration() {
    if case .pending(let names) = registration { registration = .complete(names) }
  }

  /// True if retention may delete records: it is known which destinations may still need them.
  var allowsDeletion: Bool { if case .complete = registration { true } else { false } }

  /// The destinations whose queues are kept. Those of the file, too, while the configured ones are not all known, and if
  /// none is configured.
  var kept: Set<String> {
    switch registration {
    case .unknown: Set(cursors.keys)
    case .pending(let names): names.union(cursors.keys)
    case .complete(let names): names.isEmpty ? Set(cursors.keys) : names
    }
  }

  /// The ids up to which all these destinations have acknowledged their two queues; nil without any destination.
  var acknowledgedByAll: (ordinary: Int64, late: Int64)? {
    let rows = kept.map { cursors[$0] }
    guard !rows.isEmpty else { return nil }
    return (
      rows.map { $0?.acknowledged ?? 0 }.min() ?? 0, rows.map { $0?.lateAcknowledged ?? 0 }.min() ?? 0
    )
  }

  /// Takes over a cursor that was saved.
  mutating func store(_ cursor: CursorRow) { cursors[cursor.destination] = cursor }

  /// Takes over all cursors after a transaction that may have changed several.
  mutating func store(_ changed: [String: CursorRow]) { cursors = changed }

  /// Removes a destination whose cursor was deleted.
  mutating func remove(_ destination: String) {
    cursors[destination] = nil
    counts[destination] = nil
    if case .complete(var names) = registration {
      names.remove(destination)
      registration = .complete(names)
    }
    events[destination] = nil
  }

  // MARK: Events

  /// The events that are part of the queue of a destination.
  func events(of destination: String) -> EventSelection { events[destination] ?? .none }

  /// Defines the events that are part of the queue of a destination.
  mutating func setEvents(_ selection: EventSelection, for destination: String) {
    guard selection != events(of: destination) else { return }
    events[destination] = selection
    searched[destination] = nil
  }

  // MARK: Search

  /// The id up to which no record is queued for the destination; 0 if nothing was searched.
  func searchedThrough(_ destination: String) -> Int64 { searched[destination] ?? 0 }

  mutating func recordSearch(of destination: String, through id: Int64) { searched[destination] = id }

  // MARK: Counts

  /// Number of queued records without late ones; nil if they must be counted.
  func count(of destination: String) -> Int? { counts[destination] }

  mutating func recordCount(_ count: Int, of destination: String) { counts[destination] = count }

  /// Adds records to every queue that was counted.
  mutating func append(_ count: Int) {
    for name in counts.keys { counts[name]? += count }
  }

  /// Requires that the queue of one destination is counted again.
  mutating func forgetCount(of destination: String) { counts[destination] = nil }

  /// Requires that all queues are counted again.
  mutating func forgetCounts() { counts.removeAll() }
}
