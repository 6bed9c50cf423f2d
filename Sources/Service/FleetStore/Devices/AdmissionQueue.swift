import FleetRecords
import PostgreSQL

/// Decides about devices that the database does not know yet, or not by this identity: by the functions `outrider.admit`,
/// for the token of a device, and `outrider.enrol`.
///
/// Requests that arrive while others are decided are decided together, in one transaction: at the first roll-out of a fleet
/// all devices are new.
final class AdmissionQueue {
  /// An upload, and the token that it came with.
  struct Request {
    enum Token {
      case device(DeviceNumber)
      /// An enrolment token by its hash.
      case enrolment(hash: [UInt8], cohort: String)
    }

    let token: Token
    let upload: Upload
    let completion: (DeviceDirectory.Admission) -> Void

    fileprivate var identity: String { upload.uniqueID ?? "" }

    /// The name that a new device gets.
    fileprivate var name: String {
      upload.deviceID.isEmpty ? "device-" + identity.prefix(8) : upload.deviceID
    }

    fileprivate var isEnrolling: Bool { if case .enrolment = token { true } else { false } }
  }

  /// Each identity is locked until the end of the transaction, and a server has room for a few thousand locks.
  private static let mostTogether = 250

  private let connection: PostgresConnection
  /// The new devices of an enrolment token within an hour.
  private let enrolments: Int
  private var waiting: [Request] = []
  /// Requests of a transaction that the server rejected; each is repeated alone.
  private var alone: [Request] = []
  private var isAsking = false

  init(_ connection: PostgresConnection, enrolments: Int) {
    self.connection = connection
    self.enrolments = enrolments
  }

  func append(_ request: Request) {
    waiting.append(request)
    if !isAsking { ask() }
  }

  private func ask() {
    let decision = Decision(takeNext(), enrolments: enrolments)
    guard !decision.requests.isEmpty else { return }
    isAsking = true
    connection.perform(.transaction(decision.commands)) { [weak self] result in
      guard let self else { return }
      isAsking = false
      finish(decision, result)
      if !isAsking { ask() }
    }
  }

  private func takeNext() -> [Request] {
    if let request = alone.popLast() { return [request] }
    let requests = Array(waiting.prefix(Self.mostTogether))
    waiting.removeFirst(requests.count)
    return requests
  }

  private func finish(_ decision: Decision, _ result: Result<[QueryResult], PostgresError>) {
    switch result {
    case .success(let results):
      for (request, admission) in zip(decision.requests, decision.admissions(results)) {
        request.completion(admission)
      }
    case .failure(let error):
      switch error {
      case .rejected, .invalid:
        if decision.requests.count > 1 {
          alone += decision.requests
          return
        }
      case .unreachable, .interrupted: break
      }
      for request in decision.requests { request.completion(.unavailable(reason: "\(error)")) }
    }
  }
}

/// The requests of one transaction, with its statements.
private struct Decision {
  /// Those with the token of a device come first; both parts are sorted by identity, as in every other collector.
  let requests: [AdmissionQueue.Request]
  private(set) var commands = [Decision.lock]
  /// The tokens that new devices get; nil for requests with the token of a device.
  private var secrets: [TokenSecret?] = []

  /// New names are chosen under this lock. Every collector takes it before those of the identities.
  private static var lock: PostgresCommand {
    PostgresCommand("SELECT pg_advisory_xact_lock(hashtext('outrider.device'))")
  }

  init(_ all: [AdmissionQueue.Request], enrolments: Int) {
    let sorted = all.sorted { ($0.identity, $0.name) < ($1.identity, $1.name) }
    let (known, new) = (sorted.filter { !$0.isEnrolling }, sorted.filter(\.isEnrolling))
    requests = known + new
    if !known.isEmpty { admit(known) }
    if !new.isEmpty { enrol(new, enrolments) }
  }

  private mutating func admit(_ requests: [AdmissionQueue.Request]) {
    let devices = ArrayColumn(.int4)
    for request in requests {
      if case .device(let number) = request.token { devices.append(number.value) }
      secrets.append(nil)
    }
    let sql = Self.statement(
      columns: "device", types: "$4::int4[]",
      function: "outrider.admit(q.device, NULL, q.hardware, q.name, NULL)", wait: "0")
    commands.append(PostgresCommand(sql, Self.common(requests) + [.array(devices)]))
  }

  private mutating func enrol(_ requests: [AdmissionQueue.Request], _ enrolments: Int) {
    let (tokens, cohorts, hashes) = (ArrayColumn(.bytea), ArrayColumn(.text), ArrayColumn(.bytea))
    for request in requests {
      guard case .enrolment(let token, let cohort) = request.token else { continue }
      let secret = TokenSecret.random()
      tokens.append(token)
      cohorts.append(cohort)
      hashes.append(secret.hash)
      secrets.append(secret)
    }
    let sql = Self.statement(
      columns: "token, cohort, hash", types: "$4::bytea[], $5::text[], $6::bytea[]",
      function: "outrider.enrol(q.token, $7::int4, q.cohort, q.hardware, q.name, q.hash)", wait: "a.wait_s")
    commands.append(
      PostgresCommand(
        sql,
        Self.common(requests) + [
          .array(tokens), .array(cohorts), .array(hashes), .int4(Int32(clamping: enrolments)),
        ]))
  }

  private static func common(_ requests: [AdmissionQueue.Request]) -> [PostgresParameter] {
    let (hardware, names, logs) = (ArrayColumn(.text), ArrayColumn(.text), ArrayColumn(.uuid))
    for request in requests {
      hardware.append(request.upload.uniqueID)
      names.append(request.name)
      if let log = request.upload.log {
        logs.append(high: log.high, low: log.low)
      } else {
        logs.appendNull()
      }
    }
    return [.array(hardware), .array(names), .array(logs)]
  }

  /// A row for each request, in their order: the columns of ``DeviceDirectory/Admission``.
  private static func statement(columns: String, types: String, function: String, wait: String) -> String {
    """
    SELECT a.device, a.name, a.cohort, a.settings_hash, a.outcome, a.reason,
      CASE WHEN a.device IS NOT NULL AND q.log IS NOT NULL THEN outrider.log_number(a.device, q.log) END, \(wait)
    FROM unnest($1::text[], $2::text[], $3::uuid[], \(types)) WITH ORDINALITY
      AS q (hardware, name, log, \(columns), n)
    CROSS JOIN LATERAL \(function) AS a ORDER BY q.n
    """
  }

  func admissions(_ results: [QueryResult]) -> [DeviceDirectory.Admission] {
    let rows = results.dropFirst().flatMap { result in (0..<result.rowCount).map { (result, $0) } }
    return requests.indices.map { index in
      guard rows.indices.contains(index) else { return .unavailable(reason: "") }
      return DeviceDirectory.Admission(rows[index].0, rows[index].1, secrets[index])
    }
  }
}
