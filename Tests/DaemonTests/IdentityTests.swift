import Quantities
import Records
import Settings
@testable import Store
import System
import TestSupport
import Testing
@testable import Daemon

/// The identity that servers get, over starts of the logger on several hosts.
@Suite struct IdentityTests {
  private static let machineID = "0123456789abcdef0123456789abcdef"
  private static let ofMachine = "DB8952FE-E1F0-489A-9356-58321D2DEA51"

  private static func host(_ machineID: String? = machineID, board: String?) -> MachineIdentity {
    MachineIdentity(
      machineID: machineID,
      serial: board.flatMap { HardwareSerial(.deviceTree, Array("10000000a7c3e15\($0)\0".utf8)) })
  }

  /// Runs a logger with a destination of the profile outrider on the host; returns the identities in its requests.
  private static func sent(_ bench: HTTPBench, on host: MachineIdentity) throws -> Set<String> {
    let server = try ScriptedServer(bench.loop, [.answer(200, body: #"{"result":"ok"}"#)])
    var sent: Set<String> = []
    server.onRequest = { [unowned server] in
      let identity = server.requests.last.flatMap(Self.identity) ?? "none"
      sent.insert(identity)
      let reader = try? LogReader(directory: bench.directory + "/log")
      let stored = (try? reader?.savedStates()[.installation]) ?? "none"
      #expect(stored.contains(identity), "an identity is stored before it is sent")
    }
    let configuration = try FleetContactTests.configuration(bench, url: server.url(), ", check_in: \"5m\"")
    let logger = try Logger(
      loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet, host: host)
    logger.start()
    // There is a check-in if there are no records.
    #expect(try bench.run(for: .seconds(3600)) { !server.requests.isEmpty })
    try bench.run(for: .seconds(30))
    logger.stop()
    return sent
  }

  /// The identity in a request; nil without one.
  private static func identity(_ request: ScriptedServer.Request) -> String? {
    let parts = String(decoding: request.body, as: UTF8.self).split(separator: "\"unique_id\":\"")
    return parts.count > 1 ? String(parts[1].prefix(36)) : nil
  }

  /// The events of changes in the log.
  private static func changes(_ bench: HTTPBench) throws -> [EventFields] {
    let reader = try LogReader(directory: bench.directory + "/log")
    return try reader.records(after: .zero, limit: 1000).compactMap { stored in
      if case .event(let event) = stored.record.body, event.kind == .identityChanged {
        event.fields
      } else {
        nil
      }
    }
  }

  @Test func aCopyOfACardGetsAnIdentityOfItsOwn() throws {
    let bench = try HTTPBench.simulated()
    let (first, second) = (Self.host(board: "1"), Self.host(board: "2"))
    let (one, two) = (try #require(first.machineAndBoard), try #require(second.machineAndBoard))
    #expect(try Self.sent(bench, on: first) == [one])
    #expect(try Self.sent(bench, on: first) == [one])
    #expect(try Self.sent(bench, on: Self.host(board: nil)) == [one], "the serial number is unreadable")
    #expect(try Self.changes(bench) == [])
    #expect(try Self.sent(bench, on: second) == [two])
    #expect(try Self.sent(bench, on: second) == [two])
    #expect(try Self.changes(bench) == [[.cause: "other_board", .previousIdentity: .text(one)]])
    // The original returns into its board.
    #expect(try Self.sent(bench, on: first) == [one])
    #expect(try Self.changes(bench).last == [.cause: "other_board", .previousIdentity: .text(two)])
  }

  @Test func anOlderLogKeepsItsIdentityUntilItIsOnAnotherBoard() throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 3)
    let (first, second) = (Self.host(board: "1"), Self.host(board: "2"))
    #expect(try Self.sent(bench, on: first) == [Self.ofMachine])
    #expect(try Self.sent(bench, on: first) == [Self.ofMachine])
    #expect(try Self.changes(bench) == [])
    #expect(try Self.sent(bench, on: second) == [try #require(second.machineAndBoard)])
    #expect(try Self.changes(bench) == [[.cause: "other_board", .previousIdentity: .text(Self.ofMachine)]])
  }

  @Test func theMachineIDCountsWhereTheHardwareIsUnknown() throws {
    let bench = try HTTPBench.simulated()
    let other = Self.host(String(repeating: "c4", count: 16), board: nil)
    #expect(try Self.sent(bench, on: Self.host(board: nil)) == [Self.ofMachine])
    #expect(try Self.sent(bench, on: other) == [try #require(other.machine)])
    #expect(
      try Self.changes(bench) == [[.cause: "other_machine_id", .previousIdentity: .text(Self.ofMachine)]])
  }

  /// A read-only root without a machine-id has another one after every boot.
  @Test func aMachineIDOfEachBootKeepsTheIdentityOfTheBoard() throws {
    let bench = try HTTPBench.simulated()
    let first = Self.host(board: "1")
    let one = try #require(first.machineAndBoard)
    #expect(try Self.sent(bench, on: first) == [one])
    for digit in ["5", "6", "7"] {
      #expect(
        try Self.sent(bench, on: Self.host(String(repeating: "a\(digit)", count: 16), board: "1")) == [one])
    }
    #expect(try Self.sent(bench, on: Self.host(nil, board: "1")) == [one])
    #expect(try Self.changes(bench) == [])
  }

  @Test func aHostWithoutAMachineIDSendsNone() throws {
    let bench = try HTTPBench.simulated()
    #expect(try Self.sent(bench, on: Self.host(nil, board: "1")) == ["none"])
  }

  private static let salvage = SalvageReport(cause: "a test", setAside: "", records: 5, missing: 0)

  /// What a start finds: the condition of the log, its last record, its saved texts; and if it counts as a new log.
  static let openings: [(OpeningReport.Condition, Int64, [SavedStateKey: String], isNew: Bool)] = [
    (.created, 0, [:], true),
    (.clean, 0, [:], true),
    (.unclean, 0, [:], true),
    (.clean, 5, [:], false),
    (.unclean, 5, [.logID: "a"], false),
    (.clean, 0, [.logID: "a"], false),
    (.salvaged(salvage), 5, [.logID: "a"], false),
    (.salvaged(salvage), 5, [:], true),
    (.clean, 5, [.logID: "a", .installation: "damaged"], false),
  ]

  @Test(arguments: openings) func aLogWithoutAnIdentityGetsOneThatIsSavedFirst(
    condition: OpeningReport.Condition, last: Int64, saved: [SavedStateKey: String], isNew: Bool
  ) throws {
    let host = Self.host(board: "1")
    var identities = LogIdentities(host: host)
    #expect(identities.uniqueID == nil, "before the log is open")
    let report = OpeningReport(condition: condition, boot: 1, lastID: RecordID(last), savedStates: saved)
    let texts = identities.take(report)
    #expect(identities.uniqueID == (isNew ? host.machineAndBoard : host.machine))
    #expect(texts.map(\.0) == (saved[.logID] == nil ? [.installation, .logID] : [.installation]))
    #expect(identities.takeChange() == nil)
    // The log is salvaged at run time, and its texts are lost.
    let (log, installation) = (identities.log, identities.uniqueID)
    let lost = OpeningReport(condition: .salvaged(Self.salvage), boot: 1, lastID: RecordID(last))
    #expect(identities.take(lost).map(\.0) == [.installation, .logID])
    #expect(identities.log == log && identities.uniqueID == installation)
  }
}
