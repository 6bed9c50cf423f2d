import EventLoop
import Quantities
import Records
import Settings
import Uplink

/// The commands of OwnTracks servers that may request the position of the device (`may_ask`).
final class ServerRequests {
  /// Acquires a position for a destination and sends it; set before the first request.
  var report: (_ name: String, Moment) -> Void = { _, _ in }

  private let context: LoggerContext
  private let log: LogController
  private var requests: [String: PositionRequests] = [:]
  private var isRejected: Set<String> = []
  /// The destinations with an accepted request that is not carried out yet.
  private var waiting: [String] = []
  private var timer: LoopTimer?

  init(_ context: LoggerContext, _ log: LogController) {
    self.context = context
    self.log = log
    // A transport receives a command while it is in use.
    timer = context.loop.addTimer("server requests") { [unowned self] now in
      let names = waiting
      waiting = []
      for name in names { report(name, now) }
    }
  }

  func stop() {
    if let timer { context.loop.removeTimer(timer) }
    timer = nil
  }

  /// The receiver of the commands to a destination; nil if its server may not send any.
  func channel(for destination: DestinationSettings) -> CommandChannel? {
    guard destination.mayAsk else { return nil }
    let name = destination.name
    return CommandChannel(
      handle: { [weak self] in self?.handle($0, of: name) },
      rejected: { [weak self] in self?.handleRejection($0, of: name) },
      isAnswer: { [weak self] in self?.requests[name]?.isAnswer($0) ?? false })
  }

  private func handle(_ text: [UInt8], of name: String) {
    let (now, newest) = (context.loop.now, RecordID(log.newestID))
    for command in ServerCommand.read(text) {
      switch requests[name, default: PositionRequests()].handle(command, newest: newest, now: now) {
      case .accepted:
        context.journal.log(.notice, "upload \(name): the server requests the position")
        waiting.append(name)
        timer?.arm(at: now)
      case .ignored(let reason?):
        context.journal.log(.warning, "upload \(name): a command of the server is ignored: \(reason)")
      case .ignored(nil): break
      }
    }
  }

  private func handleRejection(_ reason: String, of name: String) {
    guard isRejected.insert(name).inserted else { return }
    context.journal.log(
      .warning,
      "upload \(name): the broker rejects the subscription to commands (\(reason)); check its access list")
  }
}
