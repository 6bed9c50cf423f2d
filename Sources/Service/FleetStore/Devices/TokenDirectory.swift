import EventLoop
import FleetRecords
import PostgreSQL
import Quantities

/// Finds what tokens permit, and remembers it for a minute. Questions that arrive while one is asked are asked together.
final class TokenDirectory {
  private struct Entry {
    let access: Access
    let expiry: Moment
  }

  static let lifetime = Duration.seconds(60)
  /// An unknown token may be created at any time.
  static let unknownLifetime = Duration.seconds(5)
  private static let mostEntries = 200_000
  private static let mostQuestions = 1000

  private let connection: PostgresConnection
  private let loop: EventLoop
  private var entries: [[UInt8]: Entry] = [:]
  private var waiting: [[UInt8]: [(Access?) -> Void]] = [:]
  private var isAsking = false

  init(_ connection: PostgresConnection, loop: EventLoop) {
    self.connection = connection
    self.loop = loop
  }

  func removeAll() { entries = [:] }

  /// Forgets the tokens of devices, so that the next request of each is decided by the database.
  func remove(_ devices: Set<DeviceNumber>) {
    guard !devices.isEmpty else { return }
    let hashes = entries.lazy.filter { _, entry in
      if case .device(let device) = entry.access { devices.contains(device) } else { false }
    }.map(\.key)
    for hash in Array(hashes) { entries[hash] = nil }
  }

  /// The completion is never called within this call.
  func access(forTokenHash hash: [UInt8], completion: @escaping (Access?) -> Void) {
    if let entry = entries[hash], entry.expiry > loop.now {
      let access = entry.access
      return loop.callNextTurn { completion(access) }
    }
    waiting[hash, default: []].append(completion)
    if !isAsking { ask() }
  }

  private func ask() {
    let hashes = Array(waiting.keys.prefix(Self.mostQuestions))
    guard !hashes.isEmpty else { return }
    var asked: [[UInt8]: [(Access?) -> Void]] = [:]
    let column = ArrayColumn(.bytea, capacity: hashes.count)
    for hash in hashes {
      column.append(hash)
      asked[hash] = waiting.removeValue(forKey: hash)
    }
    isAsking = true
    let command = PostgresCommand("SELECT * FROM outrider.access($1::bytea[])", [.array(column)])
    connection.perform(.transaction([command])) { [weak self] result in
      guard let self else { return }
      isAsking = false
      answer(asked, result)
      ask()
    }
  }

  private func answer(
    _ asked: [[UInt8]: [(Access?) -> Void]], _ result: Result<[QueryResult], PostgresError>
  ) {
    guard case .success(let results) = result, let rows = results.first else {
      for calls in asked.values { for call in calls { call(nil) } }
      return
    }
    var found: [[UInt8]: Access] = [:]
    for row in 0..<rows.rowCount {
      if let hash = rows.bytes(row, 0), let access = Self.access(rows, row, hash) { found[hash] = access }
    }
    if entries.count + asked.count > Self.mostEntries { removeAll() }
    for (hash, calls) in asked {
      let access = found[hash] ?? .unknown
      let lifetime = access == .unknown ? Self.unknownLifetime : Self.lifetime
      entries[hash] = Entry(access: access, expiry: loop.now + lifetime)
      for call in calls { call(access) }
    }
  }

  private static func access(_ rows: QueryResult, _ row: Int, _ hash: [UInt8]) -> Access? {
    switch rows.text(row, 1) {
    case "device":
      guard let device = rows.integer(row, 2) else { return nil }
      return rows.bool(row, 4) == true ? .device(DeviceNumber(Int32(clamping: device))) : .disabled
    case "enrol": return .enrol(cohort: rows.text(row, 3) ?? "all", token: hash)
    case "read": return .read
    case "operator": return .operate
    default: return nil
    }
  }
}
