import EventLoop
import FleetRecords
import FleetStore
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Testing

/// A database with the schema of the fleet, and stores on it.
final class FleetBench {

  let address: String
  let sql: BlockingConnection
  let loop: EventLoop
  private(set) var notices: [String] = []
  private(set) var stores: [FleetStore] = []

  /// A new database of the common server, or of another one.
  init(
    on server: PostgresServer? = nil, rules: FleetStoreRules = FleetStoreRules(connections: 2),
    stores count: Int = 1
  ) throws {
    let server = try server ?? PostgresServer.common()
    let name = "fleet_\(UInt32.random(in: 0...UInt32.max))"
    try BlockingConnection(server.address).run("CREATE DATABASE \(name)")
    address = server.address(of: name)
    sql = try BlockingConnection(address)
    try FleetSchema.migrate(sql)
    loop = try EventLoop()
    for _ in 0..<count { open(rules) }
    try run { self.stores.allSatisfy(\.isHealthy) }
  }

  deinit { for store in stores { store.stop() } }

  func open(_ rules: FleetStoreRules) {
    stores.append(
      FleetStore(database: address, loop: loop, rules: rules) { [unowned self] in notices.append("\($0)") })
  }

  var store: FleetStore { stores[0] }

  struct Timeout: Error {
    let notices: [String]
  }

  /// Runs the loop until the condition holds.
  func run(within limit: Duration = .seconds(20), until isDone: @escaping () -> Bool) throws {
    var isLate = false
    let deadline = loop.addTimer("test deadline") { [unowned self] _ in
      isLate = true
      loop.stop()
    }
    deadline.arm(after: limit)
    let check = loop.addTimer("test check") { _ in }
    while !isDone(), !isLate {
      let poll = loop.addTimer("test poll") { [unowned self] _ in loop.stop() }
      poll.arm(after: .milliseconds(2))
      try loop.run()
      loop.removeTimer(poll)
    }
    loop.removeTimer(check)
    loop.removeTimer(deadline)
    if isLate { throw Timeout(notices: notices) }
  }

  /// Stores uploads together, and returns what became of them.
  func store(_ uploads: [(Upload, Access)], in store: FleetStore? = nil) throws -> [UploadOutcome] {
    var outcomes = [UploadOutcome?](repeating: nil, count: uploads.count)
    for (index, (upload, access)) in uploads.enumerated() {
      var isInside = true
      (store ?? self.store).store(upload, access: access) { outcome in
        #expect(!isInside, "the completion is called within the call")
        #expect(outcomes[index] == nil, "the completion is called twice")
        outcomes[index] = outcome
      }
      isInside = false
    }
    try run { outcomes.allSatisfy { $0 != nil } }
    return outcomes.compactMap { $0 }
  }

  func store(_ upload: Upload, _ access: Access) throws -> UploadOutcome {
    try #require(try store([(upload, access)]).first)
  }

  /// The receipt of an upload that must be stored.
  func receipt(_ upload: Upload, _ access: Access) throws -> Receipt {
    let outcome = try store(upload, access)
    guard case .stored(let receipt) = outcome else {
      Issue.record("\(outcome) \(notices)")
      return Receipt()
    }
    return receipt
  }

  func access(_ token: String) throws -> Access? {
    var answer: Access??
    store.access(forTokenHash: TokenSecret.hash(of: token)) { answer = .some($0) }
    try run { answer != nil }
    return answer ?? nil
  }

  /// A device with a token of its own.
  func addDevice(_ name: String, cohort: String = "all") throws -> (access: Access, token: String) {
    let secret = TokenSecret.random()
    let row = try sql.query(
      """
      WITH d AS (INSERT INTO outrider.device (name, cohort) VALUES ($1::text, $2::text) RETURNING id)
      INSERT INTO outrider.token (hash, role, device) SELECT $3::bytea, 'device', id FROM d RETURNING device
      """, [.text(name), .text(cohort), .bytes(secret.hash)])
    let number = try #require(row?.integer(0, 0))
    return (.device(DeviceNumber(Int32(clamping: number))), secret.text)
  }

  /// The access of a new enrolment token.
  func addEnrolment(_ cohort: String) throws -> Access {
    let token = try FleetOperations(sql).createToken(.enrol, cohort: cohort)
    return .enrol(cohort: cohort, token: token.hash)
  }

  func number(_ query: String) throws -> Int64? { try sql.query(query)?.integer(0, 0) }

  /// The rows of a query as texts.
  func rows(_ query: String) throws -> [[String?]] {
    let result = try sql.query(query)
    return (0..<(result?.rowCount ?? 0)).map { row in
      (0..<(result?.columnCount ?? 0)).map { result?.text(row, $0) }
    }
  }
}

/// 2026-11-22T17:04:41.250Z
let noon = Timestamp(milliseconds: 1_795_367_081_250)

/// An upload of consecutive locations.
func upload(
  _ records: ClosedRange<Int64>, from time: Timestamp = noon, device: String = "van-17",
  unique: String? = nil,
  log: LogID? = nil, range: ClosedRange<Int64>? = nil
) -> Upload {
  let locations = records.map { record in
    LocationRow(
      id: RowID(time: time + .seconds(record), record: record),
      place: PlaceColumns(
        latitudeE7: 525_418_194, longitudeE7: 133_619_121 + Int32(truncatingIfNeeded: record)))
  }
  return Upload(
    deviceID: device, uniqueID: unique, log: log, range: log == nil ? nil : range ?? records,
    locations: locations)
}
