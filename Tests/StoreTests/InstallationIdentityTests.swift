import Testing

@testable import Store
@testable import System

/// The decision on the identity of an installation.
@Suite struct InstallationIdentityTests {
  struct Host: Sendable {
    var machine: Character?
    var board: String?
    var source = HardwareSerial.Source.deviceTree

    var identity: MachineIdentity {
      MachineIdentity(
        machineID: machine.map { String(repeating: "12", count: 15) + "3\($0)" },
        serial: board.flatMap { HardwareSerial(source, Array("10000000a7c3e15\($0)".utf8)) })
    }
  }

  enum Expected: Sendable {
    case same
    case new(InstallationIdentity.Cause)
    case none
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var before: Host
    var now: Host
    var expected: Expected

    init(_ name: String, _ before: Host, _ now: Host, _ expected: Expected) {
      (testDescription, self.before, self.now, self.expected) = (name, before, now, expected)
    }
  }

  static let cases = [
    Case("the same host", Host(machine: "a", board: "1"), Host(machine: "a", board: "1"), .same),
    Case(
      "the card in another board", Host(machine: "a", board: "1"), Host(machine: "a", board: "2"),
      .new(.otherBoard)),
    Case(
      "board and system replaced", Host(machine: "a", board: "1"), Host(machine: "b", board: "2"),
      .new(.otherBoard)),
    Case("no serial number, the same", Host(machine: "a"), Host(machine: "a"), .same),
    Case(
      "no serial number, another machine-id", Host(machine: "a"), Host(machine: "b"), .new(.otherMachineID)),
    Case("a serial number appears", Host(machine: "a"), Host(machine: "a", board: "1"), .same),
    Case("a serial number disappears", Host(machine: "a", board: "1"), Host(machine: "a"), .same),
    Case(
      "moved to a host without one", Host(machine: "a", board: "1"), Host(machine: "b"), .new(.otherMachineID)
    ),
    Case(
      "moved from a host without one", Host(machine: "a"), Host(machine: "b", board: "1"),
      .new(.otherMachineID)),
    Case(
      "read-only root: a machine-id of this boot", Host(machine: "a", board: "1"),
      Host(machine: "b", board: "1"), .same),
    Case(
      "read-only root: no machine-id", Host(machine: "a", board: "1"), Host(machine: nil, board: "1"), .same),
    Case("nothing is readable", Host(machine: "a", board: "1"), Host(), .same),
    Case("another board without a machine-id", Host(machine: "a", board: "1"), Host(board: "2"), .none),
    Case(
      "another source proves nothing", Host(machine: "a", board: "1"),
      Host(machine: "a", board: "2", source: .dmi), .same),
    Case(
      "another source and machine-id", Host(machine: "a", board: "1"),
      Host(machine: "b", board: "1", source: .dmi), .new(.otherMachineID)),
  ]

  /// Each case for an installation of this version and for an older log, over a restart.
  @Test(arguments: cases, [true, false]) func theIdentityLastsAsLongAsTheHardware(row: Case, isNewLog: Bool)
    throws
  {
    let host = row.now.identity
    let before = try #require(
      InstallationIdentity.decide(stored: nil, isNewLog: isNewLog, host: row.before.identity))
    #expect(before.unreported == nil)
    let stored = try #require(InstallationIdentity(before.text))
    #expect(stored == before)
    let now = InstallationIdentity.decide(stored: stored, isNewLog: false, host: host)
    switch row.expected {
    case .none: #expect(now == nil)
    case .same:
      #expect(now?.uniqueID == before.uniqueID)
      #expect(now?.unreported == nil)
      #expect(now?.machine == host.machine ?? before.machine)
      #expect(now?.board == host.board ?? before.board, "the last known hardware counts")
    case .new(let cause):
      let new = try #require(now)
      #expect(new.uniqueID == host.machineAndBoard ?? host.machine)
      #expect(new.uniqueID != before.uniqueID)
      #expect(new.unreported == InstallationIdentity.Change(cause: cause, previous: before.uniqueID))
      #expect(InstallationIdentity(new.text) == new, "it is reported after a power cut, too")
      let next = InstallationIdentity.decide(stored: new.reported, isNewLog: false, host: host)
      #expect(next == new.reported, "it changes once")
    }
  }

  @Test func aNewInstallationHasTheIdentityOfMachineAndBoard() {
    let host = Host(machine: "a", board: "1").identity
    let bare = Host(machine: "a").identity
    #expect(
      InstallationIdentity.decide(stored: nil, isNewLog: true, host: host)?.uniqueID == host.machineAndBoard)
    #expect(InstallationIdentity.decide(stored: nil, isNewLog: true, host: bare)?.uniqueID == bare.machine)
    #expect(InstallationIdentity.decide(stored: nil, isNewLog: true, host: Host(board: "1").identity) == nil)
  }

  @Test func anOlderLogKeepsItsIdentityAndTheBoardIsStored() {
    let host = Host(machine: "a", board: "1").identity
    let identity = InstallationIdentity.decide(stored: nil, isNewLog: false, host: host)
    #expect(identity?.uniqueID == host.machine)
    #expect(identity?.board == host.board)
  }

  @Test func fiveCopiesOfACardAreFiveInstallations() throws {
    let first = Host(machine: "a", board: "0").identity
    for isNewLog in [true, false] {
      let stored = InstallationIdentity.decide(stored: nil, isNewLog: isNewLog, host: first)
      let all = (0..<5).compactMap { board in
        InstallationIdentity.decide(
          stored: stored, isNewLog: false, host: Host(machine: "a", board: "\(board)").identity)?.uniqueID
      }
      #expect(Set(all).count == 5)
    }
  }

  @Test(arguments: ["", "1", "1\tu\tm", "2\tu\tm\t", "1\t\tm\t", "1\tu\t\t", "1\tu\tm\t\tother_board"])
  func anInvalidTextIsNoIdentity(text: String) { #expect(InstallationIdentity(text) == nil) }

  @Test func anUnknownBoardOrCauseIsIgnored() {
    let known = InstallationIdentity(uniqueID: "u", machine: "m", board: nil)
    #expect(InstallationIdentity("1\tu\tm\tusb 0123456789abcdef") == known)
    #expect(InstallationIdentity("1\tu\tm\t\tmagic\tv") == known)
  }
}
