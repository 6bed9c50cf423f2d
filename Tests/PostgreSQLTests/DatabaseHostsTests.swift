import EventLoop
import Foundation
import Glibc
import PostgreSQLSupport
import Quantities
import Synchronization
import System
import Testing

@testable import PostgreSQL

/// The hosts of a connection string, looked up beside the loop.
@Suite(.serialized) struct DatabaseHostsTests {
  /// A value of the test and of the threads that look up names.
  private final class Shared<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
  }

  struct Case: Sendable {
    var address: String
    /// The hosts, addresses and ports that libpq gets; nil if no host is left.
    var options: [String]?
  }

  static let found = [
    "a": [NetworkAddress("192.0.2.1"), NetworkAddress("2001:db8::1")],
    "b": [NetworkAddress("fe80::1", scope: 2)],
  ]

  static let cases = [
    Case(address: "host=a dbname=x", options: ["a,a", "192.0.2.1,2001:db8::1", "5432,5432"]),
    Case(address: "postgresql://u:p@b:1234/x?sslmode=verify-full", options: ["b", "fe80::1%2", "1234"]),
    Case(
      address: "host=a,/run,b port=1,2,3",
      options: ["a,a,/run,b", "192.0.2.1,2001:db8::1,,fe80::1%2", "1,1,2,3"]),
    Case(address: "host=a,b port=7", options: ["a,a,b", "192.0.2.1,2001:db8::1,fe80::1%2", "7,7,7"]),
    Case(address: "host=unknown,b", options: ["b", "fe80::1%2", "5432"]),
    Case(address: "host=unknown", options: nil),
  ]

  @Test(arguments: cases) func libpqGetsTheAddressesOfEveryHost(_ test: Case) {
    let options = DatabaseHosts(test.address).options(Self.found)
    #expect(options?.map(\.1) == test.options)
    #expect(options.map { $0.map(\.0) == ["host", "hostaddr", "port"] } ?? true)
  }

  /// Sockets, addresses and the local host need no name server, and libpq reports what it cannot use.
  @Test(arguments: [
    "host=/run/postgresql", "host=@abstract", "host=127.0.0.1", "host=::1", "host=localhost", "dbname=x", "x",
    "",
    "host=a hostaddr=192.0.2.9", "service=fleet", "host=a,b,c port=1,2", "host='", "postgresql://[",
    "postgresql:///x",
  ])
  func nothingIsLookedUpWithoutAName(_ address: String) { #expect(DatabaseHosts(address).names.isEmpty) }

  @Test func aNameServerThatIsSilentHoldsNoTurnOfTheLoop() throws {
    let loop = try EventLoop()
    let mayAnswer = Shared(false)
    var reasons: [String] = []
    let connection = PostgresConnection(
      "host=db.example dbname=x", loop: loop,
      onEvent: { event in
        if case .lost(.unreachable(let reason)) = event { reasons.append(reason) }
        loop.stop()
      },
      lookUp: { _ in
        while !mayAnswer.value.withLock({ $0 }) { usleep(1000) }
        return .failure(.noAnswer)
      })
    connection.start()
    let answer = loop.addTimer("answer") { _ in mayAnswer.value.withLock { $0 = true } }
    answer.arm(at: loop.now + .milliseconds(300))
    try loop.run()
    #expect(loop.turnTimes.longest < .milliseconds(100), "\(loop.turnTimes)")
    #expect(reasons.first?.contains("db.example: no answer from the name server") == true, "\(reasons)")
    connection.close()
  }

  /// The end of a connection forgets the lookup: its answer connects nothing.
  @Test func aClosedConnectionDoesNotConnectLater() throws {
    let loop = try EventLoop()
    let asked = Shared(0)
    var events = 0
    let connection = PostgresConnection(
      "host=db.example dbname=x", loop: loop, onEvent: { _ in events += 1 },
      lookUp: { _ in
        asked.value.withLock { $0 += 1 }
        return .success([NetworkAddress("127.0.0.1")])
      })
    connection.start()
    connection.close()
    let end = loop.addTimer("end") { _ in loop.stop() }
    end.arm(at: loop.now + .milliseconds(100))
    try loop.run()
    #expect(events == 0 && asked.value.withLock { $0 } <= 1 && !connection.isConnected)
  }

  @Test(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"))
  func theServerIsReachedByItsName() throws {
    let port = UInt16.random(in: 20_000...30_000)
    let server = try PostgresServer(settings: ["listen_addresses = '127.0.0.1'", "port = \(port)"])
    defer { withExtendedLifetime(server) {} }
    let loop = try EventLoop()
    let asked = Shared<[String]>([])
    let connection = PostgresConnection(
      "postgresql://postgres@db.example:\(port)/postgres", loop: loop,
      onEvent: { event in
        #expect(event == .connected)
        loop.stop()
      },
      lookUp: { name in
        asked.value.withLock { $0.append(name) }
        // The first address is dead.
        return .success([NetworkAddress("127.9.8.7"), NetworkAddress("127.0.0.1")])
      })
    connection.start()
    try loop.run()
    #expect(connection.isConnected && asked.value.withLock { $0 } == ["db.example"])
    connection.close()
  }
}
