import Database
import EventLoop
import JSON
import LocalAPI
import Quantities
import WebAccess

/// Finds the answers to the questions of servers, one after the other, and keeps them until the servers have them.
///
/// The log is read in steps, and the system is examined on another thread: no question blocks the loop. A question without
/// an answer keeps the host awake, for at most ``longestWork`` or as long as a position is acquired. What is left then, and
/// after a restart, is in ``AskedQuestions``.
final class QuestionController {
  /// Handlers, set before the first question.
  struct Outputs {
    /// Acquires a position for a destination; ``positionEnded(for:isStored:)`` follows if it is awaited.
    var requestPosition: (String) -> CheckIns.Request = { _ in .declined }
    /// Begins to read the gaps of the last day; nil if the log cannot be read.
    var gaps: () -> GapSummary? = { nil }
    /// Examines the system, as ``LoggerControls/examineSystem(_:)``.
    var examine: (@escaping (String) -> Void) -> Problem? = { _ in nil }
    /// Saves the questions for the next start.
    var save: (String) -> Void = { _ in }
  }

  /// The time in which the log is read or the system is examined; then the answer is that this failed.
  static let longestWork = Duration.seconds(120)
  /// The time after which an examination is requested again, if another one is in progress.
  static let retryDelay = Duration.seconds(5)
  private static let mostFindings = 20

  /// A question whose answer is being found.
  private struct Work {
    var name: String
    var id: String
    var question: FleetQuestion
    var deadline: Moment
  }

  private let context: LoggerContext
  private var questions = AskedQuestions()
  /// The questions to be answered; the first one is in progress.
  private var queue: [Work] = []
  /// Counts the works, so that the result of an abandoned one is ignored.
  private var number = 0
  /// The destinations that wait for a position.
  private var awaiting: Set<String> = []
  private var timer: LoopTimer?
  var outputs = Outputs()
  /// Called when there is an answer for a destination; set by the owner.
  var answered: (String) -> Void = { _ in }

  init(_ context: LoggerContext) {
    self.context = context
    timer = context.loop.addTimer("question") { [unowned self] now in work(now: now) }
  }

  func stop() {
    queue = []
    number += 1
    if let timer { context.loop.removeTimer(timer) }
    timer = nil
  }

  /// True while an answer is being found.
  var isBusy: Bool { !queue.isEmpty }

  // MARK: Questions

  /// Restores the questions of an earlier run. Those that were not answered are answered now.
  func restore(_ text: String) {
    let names = context.configuration.destinations.map(\.name)
    let open = questions.restore(text, names: names)
    save()
    for name in names where questions.hasAnswer(for: name) { answered(name) }
    for (name, id, question) in open {
      if context.configuration.maySet(name) {
        enqueue(question, id, from: name)
      } else {
        finish(AskedQuestions.notPermitted, name, id)
      }
    }
  }

  /// Handles the question in a response of the server of a destination.
  func handle(_ ask: FleetAnswer.Ask, from name: String) {
    let before = questions
    let question = questions.take(
      ask, from: name, mayAsk: context.configuration.maySet(name), now: context.loop.now)
    guard questions != before else { return }
    // The question is saved before anything is done, so that a restart does not repeat it endlessly.
    save()
    guard let question else { return answered(name) }
    context.journal.log(.notice, "upload \(name): the server asks for \(question.rawValue)")
    enqueue(question, ask.id, from: name)
  }

  /// The position that a destination waited for is stored, or there is none.
  func positionEnded(for name: String, isStored: Bool) {
    guard awaiting.remove(name) != nil, let id = questions.openID(of: .position, from: name) else { return }
    finish(
      isStored
        ? .init("done") : .init("failed", reason: "there was no position to send within 3 minutes"),
      name, id)
  }

  private func save() { outputs.save(questions.text) }

  private func finish(_ result: AskedQuestions.Outcome, _ name: String, _ id: String) {
    questions.answer(result, to: name, id)
    save()
    if questions.hasAnswer(for: name) { answered(name) }
  }

  // MARK: Work

  private func enqueue(_ question: FleetQuestion, _ id: String, from name: String) {
    guard timer != nil else { return }
    queue.append(Work(name: name, id: id, question: question, deadline: .zero))
    if queue.count == 1 { beginNext() }
  }

  /// Begins the first question of the queue in the next turn: the response that asked is still being handled.
  private func beginNext() {
    timer?.arm(at: nil)
    number += 1
    let now = context.loop.now
    guard !queue.isEmpty else { return }
    queue[0].deadline = now + Self.longestWork
    timer?.arm(at: now)
  }

  /// Begins the work in progress, or ends it at its deadline.
  private func work(now: Moment) {
    guard let work = queue.first else { return }
    guard now < work.deadline else {
      return end(.init("failed", reason: "there was no result within \(Self.longestWork.wholeSeconds) s"))
    }
    timer?.arm(at: work.deadline)
    switch work.question {
    case .report: end(.init("done"))
    case .position: requestPosition(work)
    case .why:
      guard let reading = outputs.gaps() else {
        return end(.init("failed", reason: "the log cannot be read"))
      }
      read(reading, number)
    case .doctor: examine(now: now)
    }
  }

  /// Ends the work in progress with its result.
  private func end(_ result: AskedQuestions.Outcome) {
    guard let work = queue.first else { return }
    queue.removeFirst()
    finish(result, work.name, work.id)
    beginNext()
  }

  private func requestPosition(_ work: Work) {
    switch outputs.requestPosition(work.name) {
    case .fresh: end(.init("done", reason: "the last position is younger than a minute"))
    case .declined:
      end(
        .init(
          "failed",
          reason: "no receiver, a critical battery, or an acquisition has just failed; ask again later"))
    case .joined, .acquire:
      awaiting.insert(work.name)
      queue.removeFirst()
      beginNext()
    }
  }

  /// Reads the log in steps, one each turn of the loop.
  private func read(_ reading: GapSummary, _ work: Int) {
    context.loop.callNextTurn { [weak self] in
      guard let self, work == number else { return }
      do throws(DatabaseError) {
        if try reading.next() { return read(reading, work) }
        end(.init("done", gaps: reading.gaps))
      } catch {
        end(.init("failed", reason: "the log cannot be read: \(error)"))
      }
    }
  }

  private func examine(now: Moment) {
    let work = number
    let problem = outputs.examine { [weak self] json in
      guard let self, work == number else { return }
      let findings = Self.findings(in: json)
      end(findings.map { .init("done", findings: $0) } ?? .init("failed", reason: "there are no findings"))
    }
    // A person examines the system at the same time.
    if problem != nil { timer?.arm(at: now + Self.retryDelay) }
  }

  /// The warnings and errors, without their evidence, which can have names of users and networks.
  private static func findings(in json: String) -> [DeviceReport.Finding]? {
    struct Examined: Decodable {
      struct Check: Decodable {
        var id: String
        var result: String
        var meaning: String?
      }
      var checks: [Check]
    }
    guard let text = try? CheckedJSON(Array(json.utf8)), let examined: Examined = try? text.decode() else {
      return nil
    }
    return examined.checks.filter { ["warning", "error"].contains($0.result) }.prefix(mostFindings).map {
      DeviceReport.Finding(check: $0.id, result: $0.result, meaning: $0.meaning)
    }
  }

  // MARK: Requests

  /// The answer for the report to a destination; nil if there is none.
  func answer(for name: String) -> DeviceReport.Answer? { questions.answer(for: name) }

  /// A request to a destination begins, with or without its answer.
  func requestBegins(to name: String, hasAnswer: Bool) {
    questions.requestBegins(to: name, hasAnswer: hasAnswer)
  }

  /// The request that has ended was confirmed.
  func requestConfirmed(by name: String) { if questions.confirmed(by: name) { save() } }
}
