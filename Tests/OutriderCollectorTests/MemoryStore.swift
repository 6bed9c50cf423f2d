import EventLoop
import FleetRecords
import FleetStore
import Quantities

@testable import outrider_collector

/// A store in memory: groups are committed a short time after their first upload.
final class MemoryStore: UploadStore {
  private struct Key: Hashable {
    var device: DeviceNumber
    var table: Int
    var id: RowID
  }

  /// The answer to every upload instead of its storage.
  var outcome: UploadOutcome?
  /// True if tokens cannot be looked up.
  var isAway = false
  /// True if nothing is committed before ``commit()``.
  var isHeld = false
  var isHealthy = true
  var isSlow = false
  var writeFault: WriteFault?
  /// Added to every receipt.
  var settings: String?
  var unset: [String] = []
  var settingsHash: String?
  var newToken: String?
  private(set) var uploads: [Upload] = []
  /// The number of uploads that were committed, also those without a new row.
  private(set) var committed = 0
  private(set) var pendingBytes = 0
  var extraBytes = 0 { didSet { pendingBytes += extraBytes - oldValue } }

  private let loop: EventLoop
  private let commitTime: Duration
  private var access: [[UInt8]: Access] = [:]
  private var rows: Set<Key> = []
  private var group: [(Upload, Access, (UploadOutcome) -> Void)] = []
  private var timer: LoopTimer?

  init(loop: EventLoop, commitTime: Duration = .milliseconds(2)) {
    (self.loop, self.commitTime) = (loop, commitTime)
    timer = loop.addTimer("commit") { [weak self] _ in self?.commit() }
  }

  var rowCount: Int { rows.count }

  func permit(_ token: String, _ access: Access) { self.access[TokenSecret.hash(of: token)] = access }

  func access(forTokenHash hash: [UInt8], completion: @escaping (Access?) -> Void) {
    let found = isAway ? nil : access[hash] ?? .unknown
    loop.callNextTurn { completion(found) }
  }

  func store(_ upload: Upload, access: Access, completion: @escaping (UploadOutcome) -> Void) {
    if let outcome {
      loop.callNextTurn { completion(outcome) }
      return
    }
    pendingBytes += 1000
    group.append((upload, access, completion))
    if !isHeld, timer?.isArmed == false { timer?.arm(at: loop.now + commitTime) }
  }

  func commit() {
    let group = self.group
    self.group = []
    for (upload, access, completion) in group {
      pendingBytes -= 1000
      committed += 1
      uploads.append(upload)
      var receipt = Receipt(settings: settings, unset: unset, settingsHash: settingsHash, token: newToken)
      let device = if case .device(let device) = access { device } else { DeviceNumber(0) }
      let ids = [
        upload.locations.map(\.id), upload.visits.map(\.id), upload.trips.map(\.id), upload.actions.map(\.id),
        upload.events.map(\.id),
      ]
      for (table, ids) in ids.enumerated() {
        for id in ids {
          if rows.insert(Key(device: device, table: table, id: id)).inserted {
            receipt.saved += 1
          } else {
            receipt.known += 1
          }
        }
      }
      receipt.have = upload.range?.upperBound
      completion(.stored(receipt))
    }
  }
}
