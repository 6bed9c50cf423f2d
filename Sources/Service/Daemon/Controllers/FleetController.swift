import LocalAPI
import Quantities
import Records
import Settings

/// Owns the contact with servers that take reports: when a report is due, what the servers answer, the tokens that they gave
/// to this device, and their questions.
///
/// Owned by ``DeliveryController``.
final class FleetController {
  /// Handlers, set before the first request.
  struct Outputs {
    /// Returns the report of the device's health for a destination, as a JSON object.
    var report: (DestinationSettings, _ settingsHash: String?, DeviceReport.Answer?) -> [UInt8]? = {
      _, _, _ in
      nil
    }
  }

  private let context: LoggerContext
  private var contacts: [String: FleetContact] = [:]
  private var tokens: DeviceTokens
  let questions: QuestionController
  var outputs = Outputs()
  /// Called when the next attempts use other tokens, which are to be saved; set by the owner.
  var tokensChanged: () -> Void = {}

  /// `tokens` are those of earlier runs.
  init(_ context: LoggerContext, tokens: [String: DeviceTokens.Entry]) {
    self.context = context
    self.tokens = DeviceTokens(tokens)
    questions = QuestionController(context)
    questions.answered = { [unowned self] name in requestReports(to: [name]) }
  }

  func stop() { questions.stop() }

  // MARK: Reports

  /// The report for the request to a destination that begins now; nil if none is due.
  func report(for destination: DestinationSettings) -> [UInt8]? {
    let name = destination.name
    let contact = contacts[name] ?? FleetContact()
    let isDue = contact.isReportDue(every: destination.reportInterval, now: context.loop.now)
    let answer = isDue ? questions.answer(for: name) : nil
    let report = isDue ? outputs.report(destination, contact.settingsHash, answer) : nil
    contacts[name, default: FleetContact()].begin(withReport: report != nil)
    questions.requestBegins(to: name, hasAnswer: report != nil && answer != nil)
    return report
  }

  /// The request that has ended was confirmed.
  func confirmReport(to name: String) {
    contacts[name, default: FleetContact()].confirm(now: context.loop.now)
    questions.requestConfirmed(by: name)
  }

  /// The next request to each of these servers has a report.
  func requestReports(to names: some Sequence<String>) {
    for name in names { contacts[name, default: FleetContact()].requestReport() }
  }

  // MARK: Answers

  /// Handles the response to a confirmed request. Returns the record after which the server lacks records that it had
  /// accepted, if its queue may move back; nil if there is none.
  ///
  /// `accepted` is the newest record that it accepted, `first` the first one that is meant for it.
  func handle(
    _ answer: FleetAnswer?, from name: String, accepted: RecordID?, first: RecordID, mayRewind: Bool
  ) -> RecordID? {
    contacts[name, default: FleetContact()].take(answer)
    let missing =
      mayRewind
      ? contacts[name, default: FleetContact()].takeRewind(
        answer, accepted: accepted, first: first, now: context.loop.now) : nil
    if let token = answer?.set?.token { takeToken(token, for: name) }
    if let ask = answer?.ask { questions.handle(ask, from: name) }
    return missing
  }

  // MARK: Tokens

  /// The token for the next attempt.
  func token(for destination: DestinationSettings) -> Secret? { tokens.token(for: destination) }

  /// True if the next response may have a token for this device.
  func isEnrolling(_ destination: DestinationSettings) -> Bool { tokens.isEnrolling(destination) }

  /// Handles the HTTP status of the response to a request with `token`; nil for an attempt without a response.
  func handle(status: Int?, to token: Secret?, of name: String) {
    guard let destination = destination(name), tokens.handle(status: status, to: token, of: destination)
    else { return }
    tokensChanged()
  }

  /// Adds the tokens to the settings that are saved.
  func store(in stored: inout StoredSettings) {
    stored.tokens = tokens.entries.isEmpty ? nil : tokens.entries
  }

  /// Takes over a token of a server for this device alone.
  private func takeToken(_ token: String, for name: String) {
    guard let destination = destination(name), tokens.take(token, for: destination) else { return }
    context.journal.log(.notice, "upload \(name): the server gave this device a token of its own")
    tokensChanged()
  }

  private func destination(_ name: String) -> DestinationSettings? {
    context.configuration.destinations.first { $0.name == name }
  }
}
