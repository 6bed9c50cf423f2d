import EventLoop
import Glibc
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Testing

@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct PostgresConnectionTests {
  @Test func valuesOfEveryTypeReturnAsTheyWereSent() throws {
    let server = try PostgresServer()
    let database = try BlockingConnection(server.address)
    let time = Timestamp(milliseconds: -1)
    let row = try #require(
      try database.query(
        "SELECT $1::bool, $2::int2, $3::int4, $4::int8, $5::text, $6::jsonb ->> 'a', $7::bytea, $8::timestamptz, "
          + "$9::uuid::text, $10::text, $11::text",
        [
          .bool(true), .int2(-2), .int4(.min), .int8(.max), .text("ö\u{1F600}"), .json(#"{"a":"b"}"#),
          .bytes([0, 255]),
          .time(time), .uuid(high: 0x6b1f_6a2e_0000_4000, low: 0x8000_0000_0000_0001), .text(""), .null,
        ]))
    #expect(row.bool(0, 0) == true)
    #expect(row.integer(0, 1) == -2)
    #expect(row.integer(0, 2) == Int64(Int32.min))
    #expect(row.integer(0, 3) == .max)
    #expect(row.text(0, 4) == "ö\u{1F600}")
    #expect(row.text(0, 5) == "b")
    #expect(row.bytes(0, 6) == [0, 255])
    #expect(row.time(0, 7) == time)
    #expect(row.text(0, 8) == "6b1f6a2e-0000-4000-8000-000000000001")
    #expect(row.text(0, 9) == "")
    #expect(row.text(0, 10) == nil)
    #expect(row.text(1, 0) == nil && row.text(0, 99) == nil && row.text(-1, -1) == nil)
  }

  @Test func arraysOfEveryTypeWithNullReturnAsTheyWereSent() throws {
    let server = try PostgresServer()
    let database = try BlockingConnection(server.address)
    let columns: [(ArrayColumn, (ArrayColumn) -> Void, String, String)] = [
      (ArrayColumn(.int2), { $0.append(Int16(-5)) }, "int2", "-5"),
      (ArrayColumn(.int4), { $0.append(Int32(7)) }, "int4", "7"),
      (ArrayColumn(.int8), { $0.append(Int64.min) }, "int8", "-9223372036854775808"),
      (ArrayColumn(.float4), { $0.append(Float(0.5)) }, "float4", "0.5"),
      (ArrayColumn(.bool), { $0.append(true) }, "bool", "true"),
      (ArrayColumn(.text), { $0.append("a,\"ä") }, "text", "a,\"ä"),
      (ArrayColumn(.jsonb), { $0.append("{\"a\":1}" as String?) }, "jsonb", "{\"a\": 1}"),
      (ArrayColumn(.bytea), { $0.append([1, 2] as [UInt8]?) }, "bytea", "\\x0102"),
      (
        ArrayColumn(.timestamptz), { $0.append(Timestamp(milliseconds: 1_767_225_600_001)) }, "timestamptz",
        "2026-01-01 00:00:00.001+00"
      ),
      (ArrayColumn(.uuid), { $0.append(high: 1, low: 2) }, "uuid", "00000000-0000-0001-0000-000000000002"),
    ]
    for (column, append, type, text) in columns {
      for _ in 0..<2 {
        let empty = try database.query("SELECT cardinality($1::\(type)[])", [.array(column)])
        #expect(empty?.integer(0, 0) == 0, "\(type)")
        append(column)
        column.appendNull()
        let rows = try #require(
          try database.query("SELECT v::text FROM unnest($1::\(type)[]) AS v", [.array(column)]))
        #expect(rows.rowCount == 2)
        #expect(rows.text(0, 0) == text, "\(type)")
        #expect(rows.text(1, 0) == nil, "\(type)")
        column.removeAll()
      }
    }
  }

  @Test func aFailedTransactionIsRolledBackAndTheConnectionStaysUsable() throws {
    let server = try PostgresServer()
    let database = try BlockingConnection(server.address)
    try database.run("CREATE TABLE t (n int PRIMARY KEY)")
    let insert = { PostgresCommand("INSERT INTO t VALUES ($1::int)", [.int4($0)]) }
    for _ in 0..<2 {
      let failure = failure(of: [insert(1), insert(1), PostgresCommand("SELECT 1")], on: database)
      guard case .rejected(let answer)? = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
      #expect(answer.state == "23505" && answer.statement == "INSERT INTO t VALUES ($1::int)")
    }
    guard case .rejected(let answer)? = failure(of: [PostgresCommand("SELECT nothing")], on: database) else {
      Issue.record("a column that does not exist was accepted")
      return
    }
    #expect(answer.state == "42703")
    #expect(try count(database) == 0)
    let results = try database.perform(.transaction([insert(1), insert(2)]))
    #expect(results.map(\.affectedRows) == [1, 1])
    #expect(try count(database) == 2)
    #expect(throws: PostgresError.self) { try database.run("BEGIN; SELECT 1/0; COMMIT") }
    #expect(try count(database) == 2)
  }

  /// The error of a transaction; nil if it succeeds.
  private func failure(of commands: [PostgresCommand], on database: BlockingConnection) -> PostgresError? {
    do throws(PostgresError) {
      try database.perform(.transaction(commands))
      return nil
    } catch {
      return error
    }
  }

  private func count(_ database: BlockingConnection) throws -> Int64? {
    try database.query("SELECT count(*) FROM t")?.integer(0, 0)
  }

  @Test func aServerThatIsAbsentIsReportedWithItsReason() throws {
    do throws(PostgresError) {
      _ = try BlockingConnection("host=/tmp/outrider-none dbname=postgres")
      Issue.record("an absent server was reached")
    } catch {
      #expect("\(error)".contains("No such file"))
    }
    #expect(throws: PostgresError.self) { try BlockingConnection("this is not an address") }
  }

  /// A host that was switched off does not refuse connections: nothing answers.
  @Test func aHostThatIsSilentIsPassedOver() throws {
    let server = try PostgresServer.common()
    let silent = try SilentHost()
    let loop = try EventLoop()
    var events: [PostgresConnection.Event] = []
    let folder = server.address.split(separator: " ")[0].split(separator: "=")[1]
    let connection = PostgresConnection(
      "host=127.0.0.1,\(folder) port=\(silent.port),5432 user=postgres dbname=postgres", loop: loop
    ) { event in
      events.append(event)
      loop.stop()
    }
    connection.start()
    try loop.run()
    #expect(events == [.connected])
  }

  /// A port whose queue of connections is full: further ones get no answer (listen(2)).
  private final class SilentHost {
    let port: UInt16
    private let sockets: [Int32]

    init() throws {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      let isListening = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
          guard bind(listener, raw, size) == 0, listen(listener, 0) == 0 else { return false }
          return getsockname(listener, raw, &size) == 0
        }
      }
      try #require(isListening)
      var clients: [Int32] = []
      for _ in 0..<4 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        clients.append(client)
        withUnsafeMutablePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in _ = connect(client, raw, size) }
        }
      }
      port = UInt16(bigEndian: address.sin_port)
      sockets = clients + [listener]
    }

    deinit { for descriptor in sockets { close(descriptor) } }
  }

  @Test func theConnectionReturnsAfterACrashAndRequestsInProgressFail() throws {
    let server = try PostgresServer()
    let loop = try EventLoop()
    var events: [String] = []
    let connection = PostgresConnection(server.address, loop: loop) { event in
      switch event {
      case .connected: events.append("connected")
      case .lost: if events.last != "lost" { events.append("lost") }
      }
      loop.stop()
    }
    connection.start()
    try loop.run()
    #expect(events == ["connected"])
    var answer: PostgresError?
    connection.perform(.statement(PostgresCommand("SELECT pg_sleep(30)"))) { result in
      if case .failure(let error) = result { answer = error }
    }
    var unsent: PostgresError?
    connection.perform(.statement(PostgresCommand("SELECT 1"))) { result in
      if case .failure(let error) = result { unsent = error }
    }
    let crash = loop.addTimer("crash") { _ in try? server.stop(mode: "immediate") }
    crash.arm(after: .milliseconds(50))
    while answer == nil || unsent == nil { try loop.run() }
    guard case .interrupted = answer, case .unreachable = unsent else {
      Issue.record("\(String(describing: answer)), \(String(describing: unsent))")
      return
    }
    try server.start()
    while events.last != "connected" { try loop.run() }
    var value: Int64?
    connection.perform(.statement(PostgresCommand("SELECT 42"))) { result in
      if case .success(let results) = result { value = results.first?.integer(0, 0) }
      loop.stop()
    }
    try loop.run()
    #expect(value == 42)
    #expect(events == ["connected", "lost", "connected"])
  }

  @Test func aRequestLargerThanTheSocketsBuffersIsSentAndRead() throws {
    let server = try PostgresServer()
    let database = try BlockingConnection(server.address)
    let text = String(repeating: "0123456789abcdef", count: 1 << 20)
    let results = try database.perform(
      .transaction([
        PostgresCommand("SELECT $1::text", [.text(text)]), PostgresCommand("SELECT $1::text", [.text(text)]),
      ]))
    #expect(results.map { $0.text(0, 0) == text } == [true, true])
  }
}
