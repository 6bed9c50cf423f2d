import Records
import Store

/// Whether records will soon be dropped before they are sent: said once, and once when there is room again.
struct StorageRoomWatch: Equatable {
  /// Share of `storage.limit` that what waits to be sent may take.
  static let full = 0.9
  static let roomy = 0.8
  /// Bytes that a file system is to have left, but no more than a twentieth of a small one.
  static let least: Int64 = 32 << 20
  static let smallShare: Int64 = 20

  private(set) var isNearlyFull = false

  /// Nil where nothing has changed.
  mutating func take(_ room: StorageRoom) -> EventRecord? {
    let scarce = scarcity(of: room)
    guard isNearlyFull == (scarce == nil) else { return nil }
    isNearlyFull.toggle()
    let left = [room.limit.map { max(0, $0 - room.unsent) }, room.free].compactMap { $0 }.min() ?? 0
    guard let scarce else { return EventRecord(.storageHasRoom, [.freeBytes: .integer(left)]) }
    return EventRecord(.storageNearlyFull, [.freeBytes: .integer(left), .cause: scarce])
  }

  /// The cause of the shortage, as a field of its event; nil for none.
  private func scarcity(of room: StorageRoom) -> EventValue? {
    if let limit = room.limit {
      let allowed = Double(limit) * (isNearlyFull ? Self.roomy : Self.full)
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
