import Records
import Store

/// Detects that unsent records will soon be dropped for lack of space. It reports the start and the end of a shortage.
struct StorageRoomWatch: Equatable {
  /// Share of `storage.limit` used by unsent records at which a shortage begins.
  static let full = 0.9
  /// Share of `storage.limit` below which it ends.
  static let recovered = 0.8
  /// Free bytes of the file system below which a shortage begins, at most 1/``smallShare`` of its size.
  static let least: Int64 = 32 << 20
  static let smallShare: Int64 = 20

  /// True during a shortage.
  private(set) var isNearlyFull = false
  /// The present space; nil before the first report.
  private(set) var room: StorageRoom?

  /// Processes the present space; returns the event of a change, nil if nothing changed.
  mutating func take(_ room: StorageRoom) -> EventRecord? {
    self.room = room
    let cause = shortageCause(of: room)
    guard isNearlyFull == (cause == nil) else { return nil }
    isNearlyFull.toggle()
    let left = [room.limit.map { max(0, $0 - room.unsent) }, room.free].compactMap { $0 }.min() ?? 0
    guard let cause else { return EventRecord(.storageHasRoom, [.freeBytes: .integer(left)]) }
    return EventRecord(.storageNearlyFull, [.freeBytes: .integer(left), .cause: cause])
  }

  /// A line for the journal about a change of the file's size between this room and the present one; nil for none.
  func sizeNotice(since last: StorageRoom?) -> String? {
    guard let room, let last, let file = room.file, let before = last.file else { return nil }
    if file < before {
      return "the log was copied into a smaller file, from \(before / 1_000_000) to \(file / 1_000_000) MB"
    }
    guard let obstacle = room.shrinkObstacle, last.shrinkObstacle == nil else { return nil }
    return "the file of the log is larger than storage.limit: \(obstacle)"
  }

  /// The cause of the shortage, as a field of its event; nil for none.
  private func shortageCause(of room: StorageRoom) -> EventValue? {
    if let limit = room.limit {
      let allowed = Double(limit) * (isNearlyFull ? Self.recovered : Self.full)
      if Double(room.unsent) >= allowed { return "limit" }
    }
    if let free = room.free, let capacity = room.capacity {
      let least = min(Self.least, capacity / Self.smallShare)
      if free < (isNearlyFull ? least + least / 2 : least) {
        return "file_system"
      }
    }
    return nil
  }
}
