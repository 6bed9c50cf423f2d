import CPostgreSQL

/// One request on a connection: sends its statements together, and reads the results of each.
struct PipelineExchange {
  /// The purpose of a message to the server; each has results that end with NULL (PQgetResult).
  private enum Step {
    case begin, commit, rollback
    case prepare(String)
    case command(String)
  }

  private let raw: OpaquePointer
  private let work: PostgresRequest.Work
  /// The names of prepared statements, by their text; those of this request are included when it has succeeded.
  private(set) var prepared: [String: String]
  private var steps: [Step] = []
  private var position = 0
  private var results: [QueryResult] = []
  private var error: PostgresError?
  private var isCommitted = false

  init(_ work: PostgresRequest.Work, on raw: OpaquePointer, prepared: [String: String]) {
    self.work = work
    self.raw = raw
    self.prepared = prepared
  }

  /// True after the end of the request if the connection is ready for the next one.
  var isPipelined: Bool { PQpipelineStatus(raw) == PQ_PIPELINE_ON }

  // MARK: Sending

  mutating func send() throws(PostgresError) {
    switch work {
    case .script(let sql):
      guard PQexitPipelineMode(raw) == 1, PQsendQuery(raw, sql) == 1 else { throw refusal(sql) }
    case .pipeline(let commands, let isTransaction):
      if isTransaction { try send(PostgresCommand("BEGIN"), as: .begin) }
      for command in commands { try send(command, as: .command(command.sql)) }
      if isTransaction { try send(PostgresCommand("COMMIT"), as: .commit) }
      guard PQpipelineSync(raw) == 1 else { throw refusal("") }
    }
  }

  private mutating func send(_ command: PostgresCommand, as step: Step) throws(PostgresError) {
    guard command.isPrepared else {
      steps.append(step)
      return try transmit(command, name: nil)
    }
    if prepared[command.sql] == nil {
      let name = "s\(prepared.count + 1)"
      guard PQsendPrepare(raw, name, command.sql, 0, nil) == 1 else { throw refusal(command.sql) }
      prepared[command.sql] = name
      steps.append(.prepare(command.sql))
    }
    steps.append(step)
    try transmit(command, name: prepared[command.sql])
  }

  /// Sends the parameters in binary format, and asks for binary results.
  private func transmit(_ command: PostgresCommand, name: String?) throws(PostgresError) {
    var scratch: [UInt8] = []
    var ends: [Int] = []
    for parameter in command.parameters {
      parameter.append(to: &scratch)
      ends.append(scratch.count)
    }
    // An empty text needs an address: libpq sends NULL without one.
    scratch.append(0)
    let count = Int32(clamping: command.parameters.count)
    let formats = [Int32](repeating: 1, count: command.parameters.count)
    let isSent = scratch.withUnsafeBytes { bytes in
      var values: [UnsafePointer<CChar>?] = []
      var lengths: [Int32] = []
      var start = 0
      for (parameter, end) in zip(command.parameters, ends) {
        let content: UnsafeRawBufferPointer?
        switch parameter {
        case .null: content = nil
        case .array(let column): content = column.bytes
        default: content = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        }
        let address = content.flatMap { $0.baseAddress ?? bytes.baseAddress }
        values.append(address?.assumingMemoryBound(to: CChar.self))
        lengths.append(Int32(clamping: content?.count ?? 0))
        start = end
      }
      return name.map { PQsendQueryPrepared(raw, $0, count, values, lengths, formats, 1) }
        ?? PQsendQueryParams(raw, command.sql, count, nil, values, lengths, formats, 1)
    }
    guard isSent == 1 else { throw refusal(command.sql) }
  }

  private func refusal(_ statement: String) -> PostgresError {
    .invalid(statement: statement, reason: PQerrorMessage(raw).map { String(cString: $0) } ?? "")
  }

  // MARK: Receiving

  /// Reads the results that have arrived; nil while more are expected.
  mutating func read() -> Result<[QueryResult], PostgresError>? {
    var emptyReads = 0
    while PQisBusy(raw) == 0 {
      guard let result = PQgetResult(raw) else {
        if case .script = work { return endOfScript() }
        // The end of the results of one step; without further steps, nothing has arrived.
        position += 1
        emptyReads += 1
        if emptyReads > 1, position > steps.count { return nil }
        continue
      }
      emptyReads = 0
      if let outcome = take(QueryResult(owning: result), result) { return outcome }
    }
    return nil
  }

  private mutating func take(
    _ result: QueryResult, _ raw: OpaquePointer
  ) -> Result<[QueryResult], PostgresError>? {
    let step = position < steps.count ? steps[position] : nil
    switch PQresultStatus(raw) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
      switch step {
      case .command: results.append(result)
      case .commit: isCommitted = result.command == "COMMIT"
      case .begin, .rollback, .prepare, nil: break
      }
    case PGRES_PIPELINE_SYNC: return endOfPipeline()
    case PGRES_PIPELINE_ABORTED: forget(step)
    default:
      if error == nil { error = .rejected(Self.message(raw, statement(of: step))) }
      forget(step)
    }
    return nil
  }

  /// A statement that failed to be prepared, or was skipped, does not exist.
  private mutating func forget(_ step: Step?) {
    guard case .prepare(let sql)? = step else { return }
    prepared[sql] = nil
  }

  private func statement(of step: Step?) -> String {
    switch step {
    case .begin: "BEGIN"
    case .commit: "COMMIT"
    case .rollback: "ROLLBACK"
    case .prepare(let sql), .command(let sql): sql
    case nil: if case .script(let sql) = work { sql } else { "" }
    }
  }

  private mutating func endOfPipeline() -> Result<[QueryResult], PostgresError>? {
    guard case .pipeline(_, let isTransaction) = work else { return nil }
    // After an error the transaction is open and aborted; the request ends when it is rolled back.
    if isTransaction, PQtransactionStatus(raw) != PQTRANS_IDLE {
      (steps, position) = ([.rollback], 0)
      let isSent =
        PQsendQueryParams(raw, "ROLLBACK", 0, nil, nil, nil, nil, 1) == 1 && PQpipelineSync(raw) == 1
        && PQflush(raw) >= 0
      if isSent { return nil }
    }
    if let error { return .failure(error) }
    guard isTransaction, !isCommitted else { return .success(results) }
    return .failure(.rejected(.init(state: "40000", message: "rolled back", statement: "COMMIT")))
  }

  private mutating func endOfScript() -> Result<[QueryResult], PostgresError>? {
    if PQtransactionStatus(raw) == PQTRANS_INERROR, PQsendQuery(raw, "ROLLBACK") == 1 {
      return PQflush(raw) >= 0 ? nil : .failure(error ?? .interrupted(reason: "no answer to ROLLBACK"))
    }
    // The owner drops the connection if this fails.
    _ = PQenterPipelineMode(raw)
    return error.map { .failure($0) } ?? .success([])
  }

  private static func message(_ raw: OpaquePointer, _ statement: String) -> PostgresError.ServerMessage {
    func text(_ field: UnsafePointer<CChar>?) -> String { field.map { String(cString: $0) } ?? "" }
    let primary = text(outrider_pq_message(raw))
    return PostgresError.ServerMessage(
      state: text(outrider_pq_state(raw)),
      message: primary.isEmpty ? text(PQresultErrorMessage(raw)) : primary,
      detail: text(outrider_pq_detail(raw)), constraint: text(outrider_pq_constraint(raw)),
      statement: statement)
  }
}
