import Doctor
import Foundation
import Medium
import Testing
import TextSnapshots

@Suite struct OutputTests {
  static let texts = TextSnapshot("doctor-report")

  /// The sound system with a fault in some groups.
  private static func faulty() throws -> SystemFacts {
    var facts = try SoundSystem.facts()
    facts.service.others["serial-getty@ttyAMA0.service"] = UnitProperties("ActiveState=active")
    facts.storage.mounts = [
      Mount(point: "/", fileSystem: "overlay", source: "overlayroot", device: "0:30", options: ["rw"])
    ]
    facts.power.throttled = .known(0x50000)
    facts.host.hasAppArmor = nil
    facts.network.untested = "--offline"
    return facts
  }

  @Test func theReportOfASoundSystemHasNoFault() throws {
    let examination = Examination(try SoundSystem.facts())
    #expect(examination.count("warning") == 0 && examination.count("error") == 0)
    #expect(examination.exitStatus(warningsAreErrors: true) == 0)
    #expect(examination.text() == Self.texts.expected("sound system", examination.text()))
  }

  @Test func everyFaultIsFollowedByItsConsequenceAndRemedies() throws {
    let text = Examination(try Self.faulty()).text()
    #expect(text == Self.texts.expected("faulty system", text))
  }

  @Test func theVerboseReportDescribesEveryCheck() throws {
    let selection = try Selection(only: ["port-exists,frames"], skip: [])
    let text = Examination(try Self.faulty(), selection).text(isVerbose: true)
    #expect(text == Self.texts.expected("verbose", text))
  }

  @Test func theExitStatusFollowsFromErrorsAndFromWarningsOnRequest() throws {
    var facts = try SoundSystem.facts()
    facts.power.celsius = 90
    let warned = Examination(facts)
    #expect(warned.exitStatus(warningsAreErrors: false) == 0)
    #expect(warned.exitStatus(warningsAreErrors: true) == 1)
    facts.port.target = nil
    #expect(Examination(facts).exitStatus(warningsAreErrors: false) == 1)
  }

  @Test func theJSONHasOneObjectPerCheck() throws {
    let examination = Examination(try Self.faulty())
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(examination.json.utf8)) as? [String: Any])
    #expect(Set(object.keys) == ["checks", "ok", "warnings", "errors", "skipped"])
    let checks = try #require(object["checks"] as? [[String: Any]])
    #expect(checks.compactMap { $0["id"] as? String } == Catalogue.ids)
    for check in checks {
      let result = try #require(check["result"] as? String)
      #expect(["ok", "warning", "error", "skipped"].contains(result))
      #expect(check["evidence"] is String && check["group"] is String)
      let isFault = ["warning", "error"].contains(result)
      #expect((check["meaning"] is String) == isFault && (check["remedies"] is [String]) == isFault)
    }
    let counted = ["ok", "warnings", "errors", "skipped"].compactMap { object[$0] as? Int }.reduce(0, +)
    #expect(counted == checks.count)
  }

  @Test func everyCheckIsInTheListAndInThePage() throws {
    let lines = Catalogue.list.split(separator: "\n")
    #expect(lines.count == Catalogue.ids.count)
    for (line, id) in zip(lines, Catalogue.ids) { #expect(line.hasPrefix("\(id) ")) }
    for id in Catalogue.ids { #expect(Catalogue.page.contains("| `\(id)` |")) }
    let object =
      try JSONSerialization.jsonObject(with: Data(Catalogue.json.utf8)) as? [String: [[String: String]]]
    #expect(object?["checks"]?.compactMap { $0["id"] } == Catalogue.ids)
  }

  @Test func theIDsAreAPromise() {
    let ids = Catalogue.ids.joined(separator: "\n")
    #expect(ids == Self.texts.expected("ids", ids))
    #expect(Set(Catalogue.ids).count == Catalogue.ids.count)
    for id in Catalogue.ids {
      #expect(id.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(id)")
    }
    let groups = Catalogue.checks.map(\.group)
    #expect(
      groups == CheckGroup.allCases.flatMap { group in groups.filter { $0 == group } }, "one run per group")
  }

  @Test func everyPrerequisitePrecedesItsCheck() {
    for (index, check) in Catalogue.checks.enumerated() {
      for prerequisite in check.prerequisites {
        #expect(Catalogue.ids[..<index].contains(prerequisite), "\(check.id): \(prerequisite)")
      }
    }
  }

  @Test func checksAreSelectedByNameAndTheirPrerequisitesCount() throws {
    let selection = try Selection(only: ["frames, tls", "rtc"], skip: ["rtc"])
    let results = Examination(try Self.faulty(), selection).results
    #expect(results.map(\.id) == ["frames", "tls"])
    #expect(results[0].finding == .skipped("not checked: see serial-console"))
    #expect(selection.groups == [.receiver, .network])
    #expect(throws: Selection.UnknownID(id: "sky")) { try Selection(only: ["sky"], skip: []) }
    #expect(throws: Selection.UnknownID(id: "")) { try Selection(only: [], skip: ["rtc,"]) }
  }
}
