import LocalAPI
import Quantities
import TestSupport
import Testing

@testable import Daemon

/// The questions of servers as a value.
@Suite struct AskedQuestionsTests {
  static func second(_ number: Int) -> Moment { .zero + .seconds(number) }

  static func ask(_ id: String, _ what: String) throws -> FleetAnswer.Ask {
    let answer = FleetAnswer(Array(#"{"ask":{"id":"\#(id)","what":"\#(what)"}}"#.utf8))
    return try #require(answer?.ask)
  }

  /// Takes a question of the server `fleet`.
  @discardableResult
  static func take(
    _ questions: inout AskedQuestions, _ id: String, _ what: String, mayAsk: Bool = true, second: Int = 0
  ) throws -> FleetQuestion? {
    let ask = try ask(id, what)
    return questions.take(ask, from: "fleet", mayAsk: mayAsk, now: Self.second(second))
  }

  /// Sends the answer, if there is one, and confirms the request.
  @discardableResult
  static func deliver(_ questions: inout AskedQuestions) -> Bool {
    questions.requestBegins(to: "fleet", hasAnswer: questions.hasAnswer(for: "fleet"))
    return questions.confirmed(by: "fleet")
  }

  static func restored(_ questions: AskedQuestions) -> (AskedQuestions, open: [String]) {
    var next = AskedQuestions()
    let open = next.restore(questions.text, names: ["fleet"])
    return (next, open.map { "\($0.name) \($0.id) \($0.2)" })
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var id = "1"
    var what = "why"
    var mayAsk = true
    var question: FleetQuestion?
    /// The outcome of a question that is answered at once.
    var outcome: String?
    var testDescription: String { "\(id) \(what) \(mayAsk)" }
  }

  @Test(arguments: [
    Case(what: "position", question: .position), Case(what: "report", question: .report),
    Case(what: "why", question: .why), Case(what: "doctor", question: .doctor),
    Case(what: "reboot", outcome: "refused"), Case(what: "", outcome: "refused"),
    Case(what: "why", mayAsk: false, outcome: "refused"), Case(id: ""), Case(id: "a b"), Case(id: "a\\nb"),
    Case(id: String(repeating: "x", count: 65)),
  ])
  func onlyAKnownQuestionOfAPermittedServerIsAnswered(_ test: Case) throws {
    var questions = AskedQuestions()
    #expect(try Self.take(&questions, test.id, test.what, mayAsk: test.mayAsk) == test.question)
    #expect(questions.answer(for: "fleet")?.outcome == test.outcome)
  }

  @Test(arguments: [
    #"{"have":7,"ask":{"id":41,"what":"why"}}"#, #"{"have":7,"ask":{"id":"41"}}"#, #"{"have":7,"ask":"why"}"#,
    #"{"have":7,"ask":[]}"#, #"{"have":7,"ask":null}"#,
  ])
  func aQuestionInAnotherFormDoesNotHideTheRestOfTheResponse(body: String) throws {
    let answer = try #require(FleetAnswer(Array(body.utf8)))
    #expect(answer.have == 7 && answer.ask == nil)
  }

  @Test func aQuestionIsDoneOnceUntilTheServerHasTheAnswer() throws {
    var questions = AskedQuestions()
    #expect(try Self.take(&questions, "7", "report") == .report)
    #expect(try Self.take(&questions, "7", "report") == nil)
    #expect(!Self.deliver(&questions), "the request had no answer")
    questions.answer(.init("done"), to: "fleet", "7")
    questions.requestBegins(to: "fleet", hasAnswer: true)
    // The request failed, and the next one has no report.
    questions.requestBegins(to: "fleet", hasAnswer: false)
    #expect(!questions.confirmed(by: "fleet") && questions.hasAnswer(for: "fleet"))
    #expect(try Self.take(&questions, "8", "why") == nil, "the server does not have the answer to 7")
    #expect(Self.deliver(&questions))
    #expect(!questions.hasAnswer(for: "fleet") && !questions.confirmed(by: "fleet"))
    #expect(try Self.take(&questions, "7", "report") == nil)
    #expect(try Self.take(&questions, "8", "why") == .why)
    questions.answer(.init("done"), to: "fleet", "7")
    #expect(!questions.hasAnswer(for: "fleet"), "the result of another question")
  }

  @Test func anOldQuestionIsNotDoneAgain() throws {
    var questions = AskedQuestions()
    for number in 1...9 {
      #expect(try Self.take(&questions, "\(number)", "report") == .report)
      questions.answer(.init("done"), to: "fleet", "\(number)")
      #expect(Self.deliver(&questions))
    }
    let (after, _) = Self.restored(questions)
    questions = after
    for number in 2...9 { #expect(try Self.take(&questions, "\(number)", "report") == nil, "\(number)") }
  }

  @Test func nothingIsLostByARestart() throws {
    var questions = AskedQuestions()
    try Self.take(&questions, "7", "why")
    let (again, open) = Self.restored(questions)
    #expect(open == ["fleet 7 why"])
    #expect(!again.hasAnswer(for: "fleet"))
    let gaps = [DeviceReport.Gap(from: "a", to: nil, reason: "\"b\"\n")]
    questions.answer(.init("done", gaps: gaps), to: "fleet", "7")
    var (answered, none) = Self.restored(questions)
    #expect(none.isEmpty && answered.answer(for: "fleet") == questions.answer(for: "fleet"))
    #expect(answered.answer(for: "fleet")?.gaps == gaps)
    #expect(Self.deliver(&answered))
    var (over, nothing) = Self.restored(answered)
    #expect(nothing.isEmpty && !over.hasAnswer(for: "fleet"))
    #expect(try Self.take(&over, "7", "why") == nil)
    #expect(try Self.take(&over, "8", "why") == .why)
    #expect(over.restore(answered.text, names: ["home"]).isEmpty, "a destination that is gone")
    for text in [
      "", "[]", "{}", #"[{"name":"fleet"}]"#, #"[{"name":"fleet","ids":[],"what":"why","starts":1}]"#,
    ] {
      var questions = AskedQuestions()
      #expect(questions.restore(text, names: ["fleet"]).isEmpty, "\(text)")
      #expect(try Self.take(&questions, "7", "why") == .why)
    }
  }

  @Test func aQuestionThatMakesTheLoggerFailIsNotTriedForEver() throws {
    var questions = AskedQuestions()
    try Self.take(&questions, "7", "doctor")
    let (second, open) = Self.restored(questions)
    #expect(open == ["fleet 7 doctor"])
    let (third, none) = Self.restored(second)
    #expect(none.isEmpty)
    #expect(third.answer(for: "fleet")?.outcome == "failed")
  }

  @Test func anAnswerThatIsTooLongToSaveIsFoundAgain() throws {
    var questions = AskedQuestions()
    try Self.take(&questions, "7", "doctor")
    let meaning = String(repeating: "x", count: AskedQuestions.longestText)
    questions.answer(
      .init("done", findings: [DeviceReport.Finding(check: "a", result: "error", meaning: meaning)]),
      to: "fleet", "7")
    #expect(questions.text.utf8.count < AskedQuestions.longestText)
    let (_, open) = Self.restored(questions)
    #expect(open == ["fleet 7 doctor"])
  }

  @Test func aServerAsksTwelveTimesAnHourAtMost() throws {
    var questions = AskedQuestions()
    var done = 0
    for number in 0..<20 {
      if try Self.take(&questions, "\(number)", "position", second: number) != nil { done += 1 }
      questions.answer(.init("done"), to: "fleet", "\(number)")
      if number < 19 { Self.deliver(&questions) }
    }
    #expect(done == 12)
    #expect(questions.answer(for: "fleet")?.outcome == "refused")
    Self.deliver(&questions)
    #expect(try Self.take(&questions, "later", "position", second: 3700) == .position)
  }
}
