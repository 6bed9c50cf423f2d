import EventLoop
import Quantities
import System

/// The last words to the hooks before the device goes down: one attempt each, and only after the log is durable.
struct FinalNotifications {
  /// The maximum number that wait: one for each hook, and one for a second cause.
  private static let most = 8

  private struct Call {
    let notifier: Notifier
    let event: HookQueue.Event
    /// The id of the record that must be durable before.
    var record: Int64
  }

  private var waiting: [Call] = []
  private var durable: Int64 = 0

  /// Keeps a call until ``wait(for:)`` names a record and that is durable.
  mutating func add(_ event: HookQueue.Event, of notifier: Notifier) {
    waiting.append(Call(notifier: notifier, event: event, record: .max))
    if waiting.count > Self.most { waiting.removeFirst() }
  }

  /// The calls without a record wait for this one.
  mutating func wait(for record: Int64) {
    for index in waiting.indices where waiting[index].record == .max { waiting[index].record = record }
  }

  /// No call waits for the log any longer, because it cannot be written.
  mutating func giveUpLog() { for index in waiting.indices { waiting[index].record = 0 } }

  /// Returns the calls that can be made now: the records up to `id` are durable.
  mutating func release(through id: Int64, isNetworkUp: Bool) -> [(Notifier, HookQueue.Event)] {
    durable = max(durable, id)
    let durable = durable
    let isReady: (Call) -> Bool = {
      $0.record <= durable && (isNetworkUp || !$0.notifier.needsNetwork)
    }
    defer { waiting.removeAll(where: isReady) }
    return waiting.filter(isReady).map { ($0.notifier, $0.event) }
  }

  /// True while a call waits.
  var isWaiting: Bool { !waiting.isEmpty }
}

/// Finds out whether the host is shutting down, by the state of systemd.
struct ShutdownCheck {
  private static let timeout = Duration.seconds(1)

  private let program: ChildProgram?

  /// Starts the check, which goes on beside the caller. `state` is a command of sh(1) that prints the state.
  init(state: String = "systemctl is-system-running") {
    program = try? ChildProgram("/bin/sh", ["-c", "test \"$(\(state))\" = stopping"], input: [])
  }

  /// True if the host is shutting down; false if it is not, or if that cannot be found out within a second.
  var isShuttingDown: Bool { program?.waitForEnd(atMost: Self.timeout) == .exited(status: 0) }
}
