import Database
import Quantities
import Records
import Scheduling
import Store
import Tracking

/// What the hooks hold back, as a text that survives a restart: the ids of the records by hook, and the number of others.
///
/// `0=12,15+3 2=15` are the records 12 and 15 and three more of the first hook, and the record 15 of the third one.
struct HeldNotifications: Equatable {
  struct Hook: Equatable {
    /// The position of the hook in the setting.
    var index: Int
    var ids: [Int64]
    var more: Int
  }

  let hooks: [Hook]

  init(_ gates: [NotificationGate]) {
    hooks = gates.enumerated().compactMap { index, gate in
      let held = gate.heldRecords
      return gate.heldCount > 0 ? Hook(index: index, ids: held.ids, more: held.more) : nil
    }
  }

  /// Reads ``text``; ignores what cannot be read.
  init(_ text: String) {
    hooks = text.split(separator: " ").compactMap { part in
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, let index = Int(sides[0]) else { return nil }
      let counts = sides[1].split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
      let ids = counts[0].split(separator: ",").compactMap { Int64($0) }.filter { $0 > 0 }
      let more = counts.count > 1 ? Int(Int32(counts[1]) ?? 0) : 0
      return Hook(index: index, ids: Array(ids.prefix(NotificationGate.mostHeld)), more: more)
    }
  }

  var text: String {
    hooks.map { hook in
      let more = hook.more > 0 ? "+\(hook.more)" : ""
      return "\(hook.index)=\(hook.ids.map(String.init).joined(separator: ","))\(more)"
    }.joined(separator: " ")
  }

  /// Reads the notifications of a hook from the log of a directory, without their position if that is private. Events have
  /// none after a restart.
  static func read(
    _ ids: [Int64], in directory: String, _ zones: PrivateZones, deviceID: String
  ) throws(DatabaseError) -> [Scheduling.Notification] {
    let reader = try LogReader(directory: directory)
    var found: [Scheduling.Notification] = []
    for id in ids {
      guard let stored = try reader.records(after: RecordID(id - 1), limit: 1).first,
        stored.id.rawValue == id, let record = zones.disclosed(stored.record),
        var notification = Scheduling.Notification(record, deviceID: deviceID, lastLocation: nil)
      else { continue }
      notification.record = id
      found.append(notification)
    }
    return found
  }
}
