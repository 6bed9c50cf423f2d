import Foundation
import LocalAPI
import Quantities
import Settings
import TestSupport
import Testing
@testable import Daemon

/// The hotspot: its states, its requirements, and the units that switch it.
@Suite struct HotspotTests {
  static let facts = """
    ssid=outrider-van
    password=Ab3=x
    address=10.42.0.1
    until=700

    """
  static let now = Moment.zero + .seconds(100)

  static func read(_ text: String = facts) -> Hotspot.Facts? { Hotspot.Facts(Array(text.utf8)) }

  // MARK: The value

  @Test func theFileOfTheUnitIsRead() throws {
    let facts = try #require(Self.read())
    #expect(facts.ssid == "outrider-van" && facts.password == "Ab3=x" && facts.address == "10.42.0.1")
    #expect(facts.until == .zero + .seconds(700))
  }

  static let damaged = [
    "", "ssid", "ssid=a\npassword=b\naddress=c", "ssid=a\npassword=b\naddress=c\nuntil=x",
    "ssid=a\npassword=b\naddress=c\nuntil=99999999999999999999", "ssid=a\npassword=b\naddress=c\nuntil=-1",
    "ssid=" + String(repeating: "a", count: 2000) + "\npassword=b\naddress=c\nuntil=5",
  ]

  @Test(arguments: damaged) func aDamagedFileIsNoHotspot(text: String) { #expect(Self.read(text) == nil) }

  @Test func itIsOnUntilItsEnd() {
    var hotspot = Hotspot()
    #expect(!hotspot.isOn && hotspot.nextTimeout == nil)
    let attempts = [hotspot.end(), hotspot.start(), hotspot.start(), hotspot.end()]
    #expect(attempts == [false, true, false, false] && hotspot.isOn, "a unit runs")
    hotspot.unitEnded(failure: nil, facts: Self.read(), now: Self.now)
    #expect(hotspot.isOn && hotspot.nextTimeout == .zero + .seconds(700))
    hotspot.handleTimeout(now: .zero + .seconds(699))
    #expect(hotspot.isOn)
    hotspot.handleTimeout(now: .zero + .seconds(700))
    #expect(!hotspot.isOn && hotspot.nextTimeout == nil)
  }

  @Test func aFailureIsShownAndTheRadioIsNotCharged() {
    var hotspot = Hotspot()
    _ = hotspot.start()
    hotspot.unitEnded(failure: "no Wi-Fi device", facts: nil, now: Self.now)
    #expect(hotspot.phase == .off(failure: "no Wi-Fi device"))
    _ = hotspot.start()
    hotspot.unitEnded(failure: nil, facts: nil, now: Self.now)
    #expect(hotspot.phase == .off(failure: "the hotspot did not start"))
  }

  @Test func anEndThatFailsLeavesItOn() {
    var hotspot = Hotspot()
    _ = hotspot.start()
    hotspot.unitEnded(failure: nil, facts: Self.read(), now: Self.now)
    let isEnding = hotspot.end()
    #expect(isEnding)
    hotspot.unitEnded(failure: "polkit", facts: Self.read(), now: Self.now)
    #expect(hotspot.isOn)
    _ = hotspot.end()
    hotspot.unitEnded(failure: nil, facts: Self.read(), now: Self.now)
    #expect(!hotspot.isOn)
  }

  @Test func oneOfAnEarlierRunIsAdopted() {
    var hotspot = Hotspot()
    hotspot.found(Self.read(), now: .zero + .seconds(701))
    #expect(!hotspot.isOn)
    hotspot.found(Self.read(), now: Self.now)
    #expect(hotspot.isOn)
  }

  @Test func theStateHasWhatAPhoneNeeds() {
    var hotspot = Hotspot()
    #expect(hotspot.json(port: 8080, now: Self.now) == #"{"state":"off"}"#)
    _ = hotspot.start()
    #expect(hotspot.json(port: 8080, now: Self.now) == #"{"state":"starting"}"#)
    hotspot.unitEnded(failure: nil, facts: Self.read(), now: Self.now)
    #expect(
      hotspot.json(port: 8080, now: Self.now)
        == #"{"state":"on","ssid":"outrider-van","password":"Ab3=x","address":"http://10.42.0.1:8080/","ends_in_s":600}"#
    )
  }

  // MARK: The requirements

  static let requirements: [(settings: [String], isMet: Bool)] = [
    (["api.listen=0.0.0.0:8080", "api.token=0123456789abcdef"], true),
    (["api.listen=[::]:8080", "api.token=0123456789abcdef"], true),
    (["api.listen=0.0.0.0:8080", "api.token=short"], false),
    (["api.listen=127.0.0.1:8080", "api.token=0123456789abcdef"], false),
    (["api.listen=192.168.1.7:8080", "api.token=0123456789abcdef"], false),
    (["api.token=0123456789abcdef"], false),
    ([], false),
    (["api.listen=0.0.0.0:8080", "api.token=0123456789abcdef", "api.enabled=false"], false),
  ]

  @Test func itRequiresAPageThatAPhoneCanOpen() throws {
    for row in Self.requirements {
      let configuration = try Configuration.read(
        board: nil, file: nil, overrides: row.settings,
        fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
      let obstacle = Hotspot.obstacle(in: configuration.api, shortestToken: 16)
      #expect((obstacle == nil) == row.isMet, "\(row.settings): \(obstacle ?? "")")
    }
  }

  // MARK: The controller

  /// A logger and a hotspot with a program in place of systemctl, which the text of a shell script gives.
  private static func controller(_ systemctl: String) throws -> (HTTPBench, HotspotController) {
    let bench = try HTTPBench()
    let program = bench.directory + "/systemctl"
    try Data(("#!/bin/sh\ncd '\(bench.directory)'\necho \"$@\" >>calls\n" + systemctl).utf8)
      .write(to: URL(fileURLWithPath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    let configuration = try Configuration.read(
      board: nil, file: nil, overrides: ["api.listen=0.0.0.0:8080", "api.token=0123456789abcdef"],
      fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
    let context = LoggerContext(loop: bench.loop, journal: LoggerTests.quiet, configuration: configuration)
    let hotspot = HotspotController(
      context, host: HookCommand.Host(systemctl: program, directory: bench.directory + "/hooks"),
      file: bench.directory + "/state")
    return (bench, hotspot)
  }

  private static func state(_ hotspot: HotspotController, _ isOn: Bool? = nil) -> String {
    switch hotspot.request(isOn) {
    case .done(let json): json
    case .refused(let problem): "\(problem.status) \(problem.detail)"
    }
  }

  @Test func theUnitsOfThePackageAreStartedAndNothingElse() throws {
    let (bench, hotspot) = try Self.controller(
      "case $4 in *-on.service) printf 'ssid=s\\npassword=p\\naddress=10.42.0.1\\nuntil=3000000000\\n' >state;; esac\n"
    )
    defer { hotspot.stop() }
    var changes: [Bool] = []
    hotspot.outputs.changed = { [unowned hotspot] in changes.append(hotspot.isOn) }
    var released: [UInt64] = []
    hotspot.outputs.requestRadio = { proceed in
      proceed()
      return 7
    }
    hotspot.outputs.releaseRadio = { released.append($0) }
    #expect(Self.state(hotspot, true) == #"{"state":"starting"}"#)
    #expect(hotspot.isOn)
    #expect(try bench.run { Self.state(hotspot).contains(#""state":"on","ssid":"s""#) })
    #expect(Self.state(hotspot).contains("http://10.42.0.1:8080/") && released.isEmpty)
    #expect(Self.state(hotspot, false) == #"{"state":"ending"}"#)
    #expect(Self.state(hotspot, true).hasPrefix("409 "))
    #expect(try bench.run { !hotspot.isOn })
    #expect(released == [7] && changes.last == false)
    let calls = try String(contentsOfFile: bench.directory + "/calls", encoding: .utf8)
    let words = "start --no-ask-password --quiet outrider-hotspot"
    #expect(calls == "\(words)-on.service\n\(words)-off.service\n")
  }

  @Test func aUnitThatFailsIsReported() throws {
    let (bench, hotspot) = try Self.controller("echo 'no Wi-Fi device' >&2; exit 1\n")
    defer { hotspot.stop() }
    _ = hotspot.request(true)
    #expect(try bench.run { !hotspot.isOn })
    #expect(
      Self.state(hotspot).contains(#"{"state":"off","trouble":"outrider-hotspot-on.service: systemctl"#))
    #expect(Self.state(hotspot, false).contains(#""state":"off""#))
  }
}
