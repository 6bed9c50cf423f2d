import FleetPolicy
import FleetRecords
import FleetStore
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Testing

@Suite(.enabled(if: PostgresServer.isInstalled, "requires PostgreSQL"), .serialized)
struct QuestionTests {
  static func report(_ answer: QuestionAnswer?) -> Upload {
    let text = answer.map { #"{"version":"1","answer":\#($0.text)}"# } ?? "{}"
    return Upload(deviceID: "van-17", report: DeviceReport(text: text, answer: answer))
  }

  static func answer(_ question: Int64, _ outcome: QuestionAnswer.Outcome = .done) -> QuestionAnswer {
    QuestionAnswer(
      question: question, outcome: outcome,
      text: #"{"id":"\#(question)","question":"why","outcome":"\#(outcome.rawValue)","gaps":[{"from":"x"}]}"#)
  }

  /// The question in the receipt of an upload.
  static func question(_ bench: FleetBench, _ upload: Upload, _ access: Access) throws -> Question? {
    try SettingsTests.receipt(bench, upload, access).question
  }

  static func refresh(_ bench: FleetBench) throws {
    bench.stores[1].refreshSettings()
    try bench.run { bench.stores[1].hasSettings }
  }

  @Test func aQuestionIsSentUntilItIsAnswered() throws {
    let (bench, access) = try SettingsTests.bench("SELECT fleet.ask('van-17', 'why')")
    #expect(try bench.rows("SELECT outcome FROM fleet.question") == [["asked"]])
    let question = try #require(try Self.question(bench, Self.report(nil), access))
    #expect(question.what == "why")
    // A request without a report, too, if it is one of a logger.
    let log = LogID(high: 1, low: 2)
    #expect(try Self.question(bench, upload(1...1, log: log), access) == question)
    #expect(try Self.question(bench, upload(2...2), access) == nil)
    try bench.run { (try? bench.rows("SELECT outcome FROM fleet.question")) == [["sent"]] }
    // An answer to another question, and one of another device.
    #expect(try Self.question(bench, Self.report(Self.answer(question.id + 1)), access) == question)
    let (other, _) = try bench.addDevice("van-18")
    #expect(try Self.question(bench, Self.report(Self.answer(question.id)), other) == nil)
    #expect(try bench.rows("SELECT outcome FROM fleet.question") == [["sent"]])
    #expect(try Self.question(bench, Self.report(Self.answer(question.id)), access) == nil)
    let stored = [["done", #"{"gaps": [{"from": "x"}]}"#]]
    #expect(try bench.rows("SELECT outcome, answer::text FROM fleet.question") == stored)
    // The answer is repeated, with another outcome.
    #expect(try Self.question(bench, Self.report(Self.answer(question.id, .failed)), access) == nil)
    #expect(try bench.rows("SELECT outcome, answer::text FROM fleet.question") == stored)
    try Self.refresh(bench)
    #expect(try Self.question(bench, Self.report(nil), access) == nil)
    // It is kept once, with its question.
    #expect(try bench.number("SELECT count(*) FROM outrider.report WHERE report ? 'answer'") == 0)
    #expect(try bench.number("SELECT count(*) FROM outrider.device_state WHERE report ? 'answer'") == 0)
    #expect(try bench.number("SELECT count(*) FROM outrider.report WHERE report ? 'version'") ?? 0 > 0)
  }

  @Test func aNewQuestionReplacesAnOpenOne() throws {
    let (bench, access) = try SettingsTests.bench("SELECT fleet.ask('van-17', 'position')")
    let first = try #require(try Self.question(bench, Self.report(nil), access))
    let operations = FleetOperations(bench.sql)
    let second = try #require(try operations.ask("van-17", "doctor"))
    // The collector asks the old one until it has read the new one.
    #expect(try Self.question(bench, Self.report(nil), access) == first)
    try Self.refresh(bench)
    #expect(try Self.question(bench, Self.report(Self.answer(first.id)), access)?.id == second)
    #expect(
      try bench.rows(
        "SELECT what, (outcome IN ('asked', 'sent'))::text, answer::text FROM fleet.question ORDER BY id")
        == [
          ["position", "false", nil], ["doctor", "true", nil],
        ])
    let nobody = try operations.ask("nobody", "why")
    #expect(nobody == nil)
    #expect(throws: PostgresError.self) { try operations.ask("van-17", "reboot") }
    for _ in 0..<30 { _ = try operations.ask("van-17", "report") }
    #expect(try bench.number("SELECT count(*) FROM fleet.question") == 20)
    #expect(try bench.number("SELECT count(*) FROM fleet.question WHERE outcome = 'asked'") == 1)
  }

  @Test func collectorsStoreRepeatedAnswersTogether() throws {
    let (bench, first) = try SettingsTests.bench(
      "SELECT fleet.ask('van-17', 'why'); INSERT INTO outrider.device (name) VALUES ('van-18')")
    let number = try #require(try bench.number("SELECT id FROM outrider.device WHERE name = 'van-18'"))
    let second = Access.device(DeviceNumber(Int32(clamping: number)))
    for _ in 0..<20 {
      let ids = try ["van-17", "van-18"].map { name in
        try #require(try bench.number("SELECT fleet.ask('\(name)', 'why')"))
      }
      let uploads = [
        (Self.report(Self.answer(ids[0])), first), (Self.report(Self.answer(ids[1])), second),
      ]
      var outcomes: [UploadOutcome] = []
      for (store, pair) in zip(bench.stores, [uploads, uploads.reversed()]) {
        for (upload, access) in pair { store.store(upload, access: access) { outcomes.append($0) } }
      }
      try bench.run { outcomes.count == 4 }
      #expect(outcomes.allSatisfy { if case .stored = $0 { true } else { false } }, "\(outcomes)")
    }
    #expect(try bench.number("SELECT count(*) FROM fleet.question WHERE outcome = 'done'") == 40)
  }

  @Test func anErasureRemovesAnswersAndEndsQuestions() throws {
    let (bench, access) = try SettingsTests.bench("SELECT fleet.ask('van-17', 'why')")
    let first = try #require(try Self.question(bench, Self.report(nil), access))
    #expect(try Self.question(bench, Self.report(Self.answer(first.id)), access) == nil)
    let operations = FleetOperations(bench.sql)
    let second = try #require(try operations.ask("van-17", "why"))
    // Before the answer: it says nothing of that time.
    _ = try operations.erase("van-17", from: noon, to: noon + .seconds(60))
    #expect(
      try bench.rows("SELECT (answer IS NULL)::text FROM fleet.question ORDER BY id").first == ["false"])
    _ = try operations.erase("van-17")
    #expect(
      try bench.rows("SELECT outcome, answer::text FROM fleet.question ORDER BY id") == [
        ["done", nil], ["superseded", nil],
      ])
    #expect(try Self.question(bench, Self.report(Self.answer(second)), access) == nil)
    #expect(try bench.number("SELECT count(answer) FROM fleet.question") == 0, "it comes too late")
  }

  @Test func answersAreKeptAsLongAsReports() throws {
    let bench = try FleetBench()
    _ = try bench.addDevice("van-17")
    try bench.sql.run(
      """
      INSERT INTO outrider.question (device, what, answered, outcome)
        SELECT id, 'why', now() - make_interval(days => age), 'done' FROM outrider.device, unnest(ARRAY[31, 29]) AS age;
      SELECT fleet.ask('van-17', 'why');
      """)
    bench.store.stop()
    var rules = FleetStoreRules(connections: 1)
    rules.retention = Retention(locationDays: 10_000, eventDays: 10_000, reportDays: 30)
    bench.open(rules)
    let outcomes = "SELECT outcome FROM fleet.question ORDER BY id"
    try bench.run { (try? bench.rows(outcomes)) == [["done"], ["asked"]] }
  }

  @Test func aDatabaseOfTheVersionBeforeIsBroughtUpToDate() throws {
    let bench = try FleetBench()
    let (access, _) = try bench.addDevice("van-17")
    #expect(try bench.receipt(upload(1...3), access).saved == 3)
    try bench.sql.run(
      """
      DROP VIEW fleet.question;
      DROP FUNCTION fleet.ask;
      DROP TABLE outrider.question;
      DELETE FROM outrider.migration WHERE name = '0006 questions';
      """)
    let steps = try FleetSchema.migrate(bench.sql)
    #expect(steps == ["0006 questions"])
    #expect(try bench.number("SELECT count(*) FROM fleet.location") == 3)
    #expect(try bench.number("SELECT fleet.ask('van-17', 'why')") == 1)
  }
}
