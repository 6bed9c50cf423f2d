import Doctor
import Settings
import Testing

/// A change of the sound system and the finding that follows from it.
struct CheckCase: Sendable, CustomTestStringConvertible {
  var id: String
  var word: String
  /// A part of the evidence.
  var evidence: String
  /// A part of the first remedy; nil for any.
  var remedy: String?
  /// A text that no remedy contains.
  var absent: String?
  /// A part of the last remedy; nil for any.
  var lastRemedy: String?
  var change: @Sendable (inout SystemFacts) throws -> Void

  init(
    _ id: String, _ word: String, _ evidence: String, remedy: String? = nil, without absent: String? = nil,
    last lastRemedy: String? = nil,
    _ change: @escaping @Sendable (inout SystemFacts) throws -> Void
  ) {
    (self.id, self.word, self.evidence, self.change) = (id, word, evidence, change)
    (self.remedy, self.absent, self.lastRemedy) = (remedy, absent, lastRemedy)
  }

  var testDescription: String { "\(id): \(evidence)\(remedy.map { ", \($0)" } ?? "")" }
}

@Suite struct CheckTests {
  /// The checks that require another system than the sound one to pass.
  static let passing: [CheckCase] = [
    CheckCase("gpsd-shared", "ok", "2947") { facts in
      facts.stopLogger()
      facts.configuration.settings = try SoundSystem.settings("{ receiver: { gpsd: \"localhost:2947\" } }")
      facts.port.hasGPSDSocket = true
    },
    CheckCase("usb-by-id", "ok", "by-id") { facts in
      facts.port.path = "/dev/serial/by-id/usb-u-blox"
      facts.port.target = "/dev/ttyACM0"
    },
    CheckCase("speed-for-rate", "ok", "baud") { _ in },
    CheckCase("share-gpsd", "ok", "2947") {
      $0.configuration.settings?.share.gpsd = "127.0.0.1:2947"
    },
  ]

  @Test(arguments: Catalogue.ids) func aSoundSystemPasses(_ id: String) throws {
    var facts = try SoundSystem.facts()
    try Self.passing.first { $0.id == id }?.change(&facts)
    let finding = try #require(Examination(facts, try Selection(only: [id], skip: [])).results.first?.finding)
    #expect(finding.word == "ok", "\(finding)")
    #expect(!finding.evidence.isEmpty)
  }

  static let failing =
    FaultyConfiguration.cases + FaultyReceiver.cases + FaultyDevices.cases + FaultyStorage.cases
    + FaultySurroundings.cases

  @Test(arguments: failing) func aFaultIsFoundWithItsRemedy(_ fault: CheckCase) throws {
    var facts = try SoundSystem.facts()
    try fault.change(&facts)
    let finding = try #require(
      Examination(facts, try Selection(only: [fault.id], skip: [])).results.first?.finding)
    #expect(finding.word == fault.word, "\(finding)")
    #expect(finding.evidence.contains(fault.evidence), "\(finding)")
    let remedies = finding.complaint?.remedies ?? []
    if let remedy = fault.remedy { #expect(remedies.first?.contains(remedy) == true, "\(finding)") }
    if let last = fault.lastRemedy { #expect(remedies.last?.contains(last) == true, "\(finding)") }
    if let absent = fault.absent { #expect(!remedies.contains { $0.contains(absent) }, "\(finding)") }
    if fault.word != "skipped", fault.word != "ok" {
      let complaint = try #require(finding.complaint)
      #expect(!complaint.meaning.isEmpty && !complaint.remedies.isEmpty)
      #expect(complaint.remedies.allSatisfy { !$0.isEmpty && !$0.contains("Optional(") })
    }
  }

  @Test func theLoggerRunsItsOwnChecksAndSkipsTheOthers() throws {
    #expect(Catalogue.insideLogger.isSubset(of: Catalogue.ids))
    var facts = try SoundSystem.facts()
    // A check that is skipped has no error, so that others after it are not skipped because of it.
    facts.configuration.fault = "broken"
    facts.network.connectivity = "portal"
    let results = Examination(insideLogger: facts).results
    #expect(results.map(\.id) == Catalogue.ids)
    for result in results where !Catalogue.insideLogger.contains(result.id) {
      #expect(result.finding == .skipped("run outrider doctor"), "\(result.id)")
    }
    for result in results where Catalogue.insideLogger.contains(result.id) {
      #expect(!result.finding.evidence.contains("see config-valid"), "\(result.id)")
    }
  }

  @Test func everyCheckHasACaseThatFails() {
    let covered = Set(Self.failing.filter { ["warning", "error"].contains($0.word) }.map(\.id))
    // Information only.
    let expected = Set(Catalogue.ids).subtracting(["apparmor"])
    #expect(expected.subtracting(covered).sorted() == [])
  }

  @Test func everyAdviceIsWritten() {
    for check in Catalogue.checks {
      #expect(check.subject.hasSuffix(".") && check.advice.hasSuffix("."), "\(check.id)")
      for sentence in [check.subject, check.advice] {
        for part in sentence.split(separator: ". ") {
          #expect(part.split(separator: " ").count <= 25, "\(check.id): \(part)")
        }
      }
      #expect(!check.subject.contains("|") && !check.advice.contains("|"), "\(check.id)")
    }
  }

  @Test func anUnknownSystemHasNoTrapAndNoCertainty() {
    let examination = Examination(SystemFacts())
    #expect(examination.results.count == Catalogue.ids.count)
    #expect(examination.count("ok") < 12)
  }
}
