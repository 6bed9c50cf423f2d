import Quantities
import Records

/// The held records of a destination: when each is sent again, and when one is set aside.
///
/// A held record is sent again after a minute, and after twice the wait before for every further refusal. An attempt follows
/// an accepted request. Its refusal counts once the next request is accepted at once: the same server then accepted other
/// records immediately before and after it. After ``refusalsToSetAside`` such refusals, hours later, it is set aside.
struct HeldRecords: Equatable, Sendable {
  static let firstWait = Duration.seconds(60)
  /// The waits before these refusals add up to more than four hours.
  static let refusalsToSetAside = 8
  private static let mostDoublings = 9

  /// What follows from counted refusals.
  enum Outcome: Equatable {
    case update(HeldRecord)
    case setAside(HeldRecord, Refusal)
    /// The last attempt has failed: retention may delete the record.
    case end(RecordID)
  }

  private struct Entry: Equatable {
    var record: HeldRecord
    var due: Moment
    /// True if the wait before the next attempt is known to have passed.
    var isSpaced: Bool
    /// True if this is the last attempt before retention deletes the record.
    var isLast = false
    /// The refusal that the next accepted request makes count; nil without one.
    var unproven: Refusal?
  }

  private var entries: [Entry] = []
  /// The record that is being loaded or sent; nil while there is none.
  private(set) var current: RecordID?
  /// True if the last ordinary request was accepted.
  private var isAccepting = false

  private static func wait(after refusals: Int) -> Duration {
    firstWait * (1 << min(max(refusals, 0), mostDoublings))
  }

  /// Adds records that the log holds. Those that are known keep their state.
  mutating func add(_ records: [HeldRecord], isLast: Bool, now: Moment) {
    for record in records where !entries.contains(where: { $0.record.id == record.id }) {
      let wait = Self.wait(after: record.refusals)
      let rest = record.age.map { max(wait - $0, .zero) } ?? .zero
      entries.append(
        Entry(
          record: record, due: isLast ? now : now + rest, isSpaced: isLast || record.age != nil,
          isLast: isLast))
    }
  }

  /// Holds a record from now on.
  mutating func hold(_ record: HeldRecord, now: Moment) {
    entries.removeAll { $0.record.id == record.id }
    entries.append(Entry(record: record, due: now + Self.firstWait, isSpaced: true))
    // A later record was accepted.
    isAccepting = true
  }

  /// The time of the next attempt; nil if there is none before another request is accepted.
  var next: Moment? {
    guard isAccepting, current == nil else { return nil }
    return entries.filter { $0.unproven == nil }.map(\.due).min()
  }

  /// Begins the attempt that is due, and returns its record.
  mutating func begin(now: Moment) -> RecordID? {
    guard isAccepting, current == nil else { return nil }
    current = entries.first { $0.unproven == nil && $0.due <= now }?.record.id
    return current
  }

  /// Ends the attempt: the record is delivered, or the log does not have it any more.
  mutating func remove() {
    entries.removeAll { $0.record.id == current }
    current = nil
  }

  /// Ends the attempt with a failure. Only one that concerns the content may count.
  mutating func refuse(_ refusal: Refusal, now: Moment) {
    defer { current = nil }
    guard let index = entries.firstIndex(where: { $0.record.id == current }) else { return }
    entries[index].due = now + Self.wait(after: entries[index].record.refusals)
    if refusal.concernsContent || refusal.kind == .tooLarge {
      entries[index].unproven = refusal
    } else {
      isAccepting = false
    }
  }

  /// Handles the acceptance of an ordinary request: the refusals before it count.
  mutating func accepted(now: Moment) -> [Outcome] {
    isAccepting = true
    var outcomes: [Outcome] = []
    for index in entries.indices {
      guard let refusal = entries[index].unproven else { continue }
      entries[index].unproven = nil
      guard entries[index].isSpaced else {
        entries[index].isSpaced = true
        continue
      }
      guard !entries[index].isLast else {
        outcomes.append(.end(entries[index].record.id))
        continue
      }
      entries[index].record.refusals += 1
      entries[index].due = now + Self.wait(after: entries[index].record.refusals)
      guard entries[index].record.refusals >= Self.refusalsToSetAside else {
        outcomes.append(.update(entries[index].record))
        continue
      }
      entries[index].record.isSetAside = true
      outcomes.append(.setAside(entries[index].record, refusal))
    }
    let ended = outcomes.compactMap { outcome -> RecordID? in
      switch outcome {
      case .update: nil
      case .setAside(let record, _): record.id
      case .end(let id): id
      }
    }
    entries.removeAll { ended.contains($0.record.id) }
    return outcomes
  }

  /// Handles the failure of an ordinary request: the refusals before it may be the server's fault.
  mutating func refused() {
    isAccepting = false
    for index in entries.indices { entries[index].unproven = nil }
  }
}
