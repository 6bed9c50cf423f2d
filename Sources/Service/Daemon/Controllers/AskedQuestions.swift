import JSON
import LocalAPI
import Quantities
import Uplink

/// What a server can ask a device. There is nothing else: no command and no program.
enum FleetQuestion: String, CaseIterable, Sendable {
  /// A fresh position, which is stored and sent like any other.
  case position
  /// The report of the device's health.
  case report
  /// The gaps of the last day with their reasons.
  case why
  /// The warnings and errors of the checks of the system.
  case doctor
}

/// The questions of servers, one at a time for each, and the answers until the servers have them.
///
/// A question is taken once the server has the answer to the one before; until then the server repeats it.
struct AskedQuestions: Equatable {
  private static let longestID = 64
  /// The last IDs of a server, which are not taken again: one of several collectors may repeat an old one.
  private static let mostKnownIDs = 8
  /// The starts of the work on one question. A question that makes the logger fail is not tried for ever.
  private static let mostStarts = 2
  /// The longest ``text`` in bytes. Beyond that, gaps and findings are left out, and found again after a restart.
  static let longestText = 8000

  private struct Entry: Codable, Equatable {
    var name: String
    /// The IDs of the last questions; the last one is the present one.
    var ids: [String]
    /// The word of the question.
    var what: String
    var starts = 1
    var answer: DeviceReport.Answer?
    /// True once the server has the answer.
    var isOver = false

    var isOpen: Bool { answer == nil && !isOver }
  }

  /// The answer to a server that may not ask.
  static let notPermitted = Outcome(
    "refused", reason: "the server may not change settings or ask (may_set)")

  /// The result of a question.
  struct Outcome: Equatable {
    /// `done`, `failed` or `refused`.
    var outcome: String
    var reason: String?
    var gaps: [DeviceReport.Gap]?
    var findings: [DeviceReport.Finding]?

    init(
      _ outcome: String, reason: String? = nil, gaps: [DeviceReport.Gap]? = nil,
      findings: [DeviceReport.Finding]? = nil
    ) {
      (self.outcome, self.reason, self.gaps, self.findings) = (outcome, reason, gaps, findings)
    }
  }

  private var entries: [String: Entry] = [:]
  /// The servers whose running request has their answer.
  private var sending: Set<String> = []
  private var limits: [String: HourlyLimit] = [:]

  /// Takes a question of the destination `name`. Returns it if the device is to do something; nil if it is known, answered at
  /// once, or not taken yet.
  ///
  /// `mayAsk` is true if the owner permits the server to ask.
  mutating func take(
    _ ask: FleetAnswer.Ask, from name: String, mayAsk: Bool, now: Moment
  ) -> FleetQuestion? {
    let isID =
      (1...Self.longestID).contains(ask.id.utf8.count)
      && ask.id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    let before = entries[name]
    guard isID, before?.isOver ?? true, !(before?.ids.contains(ask.id) ?? false) else { return nil }
    let question = FleetQuestion(rawValue: ask.what)
    let ids = (before?.ids ?? []).suffix(Self.mostKnownIDs - 1) + [ask.id]
    entries[name] = Entry(name: name, ids: Array(ids), what: question?.rawValue ?? "unknown")
    guard mayAsk else {
      answer(Self.notPermitted, to: name, ask.id)
      return nil
    }
    guard let question else {
      let words = FleetQuestion.allCases.map(\.rawValue).joined(separator: ", ")
      answer(.init("refused", reason: "unknown question; known: \(words)"), to: name, ask.id)
      return nil
    }
    guard limits[name, default: HourlyLimit()].admits(now) else {
      answer(
        .init("refused", reason: "more than \(HourlyLimit.most) questions within an hour"), to: name, ask.id)
      return nil
    }
    return question
  }

  /// Keeps the answer to an open question.
  mutating func answer(_ result: Outcome, to name: String, _ id: String) {
    guard let entry = entries[name], entry.ids.last == id, entry.isOpen else { return }
    entries[name]?.answer = DeviceReport.Answer(
      id: id, question: entry.what, outcome: result.outcome, reason: result.reason, gaps: result.gaps,
      findings: result.findings)
  }

  /// The ID of the open question of a server, if it asks for `question`.
  func openID(of question: FleetQuestion, from name: String) -> String? {
    guard let entry = entries[name], entry.isOpen, entry.what == question.rawValue else { return nil }
    return entry.ids.last
  }

  // MARK: Requests

  /// The answer that a server does not have; nil if there is none.
  func answer(for name: String) -> DeviceReport.Answer? { entries[name]?.answer }
  func hasAnswer(for name: String) -> Bool { entries[name]?.answer != nil }

  /// A request to a server begins, with or without its answer.
  mutating func requestBegins(to name: String, hasAnswer: Bool) {
    if hasAnswer { sending.insert(name) } else { sending.remove(name) }
  }

  /// The server has confirmed the last request. Returns true if it had an answer.
  mutating func confirmed(by name: String) -> Bool {
    guard sending.remove(name) != nil, entries[name]?.answer != nil else { return false }
    entries[name]?.answer = nil
    entries[name]?.isOver = true
    return true
  }

  // MARK: Across restarts

  /// The questions for the next start, as JSON.
  var text: String {
    let entries = entries.values.sorted { $0.name < $1.name }
    let whole = Self.text(entries)
    guard whole.utf8.count > Self.longestText else { return whole }
    return Self.text(
      entries.map { entry in
        var entry = entry
        if entry.answer?.gaps != nil || entry.answer?.findings != nil { entry.answer = nil }
        return entry
      })
  }

  private static func text(_ entries: [Entry]) -> String {
    (try? SortedJSON.encode(entries)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Restores the ``text`` of an earlier run for these destinations. Returns the questions that are to be answered now.
  mutating func restore(_ text: String, names: [String]) -> [(name: String, id: String, FleetQuestion)] {
    guard let json = try? CheckedJSON(Array(text.utf8)), let saved: [Entry] = try? json.decode() else {
      return []
    }
    var open: [(name: String, id: String, FleetQuestion)] = []
    for var entry in saved where names.contains(entry.name) && entries[entry.name] == nil {
      guard let id = entry.ids.last else { continue }
      if entry.isOpen { entry.starts = min(max(entry.starts, 1), Self.mostStarts) + 1 }
      entries[entry.name] = entry
      guard entry.isOpen else { continue }
      if let question = FleetQuestion(rawValue: entry.what), entry.starts <= Self.mostStarts {
        open.append((entry.name, id, question))
      } else {
        answer(.init("failed", reason: "the logger was restarted meanwhile; ask again"), to: entry.name, id)
      }
    }
    return open
  }
}
