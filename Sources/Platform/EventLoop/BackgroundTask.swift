import Synchronization
import System

/// A function that may block, on a thread of its own. Its result arrives on the loop.
///
/// To abandon it, release it: the thread ends by itself, and nothing is called. Not thread-safe: it belongs to the loop's
/// thread.
public final class BackgroundTask<Value: Sendable> {
  private final class Outcome: Sendable {
    let value = Mutex<Value?>(nil)
    let ended: EventDescriptor

    init() throws(SystemError) { ended = try EventDescriptor(blocking: false) }
  }

  private let loop: EventLoop
  private var registration: EventLoop.Registration?

  /// Starts the thread, called `name`. `completion` is called once, in a later turn of the loop.
  public init(
    _ name: String, loop: EventLoop, _ work: @escaping @Sendable () -> Value,
    completion: @escaping (Value) -> Void
  ) throws(SystemError) {
    self.loop = loop
    let outcome = try Outcome()
    registration = try loop.watch(outcome.ended.raw, for: .readable) { [weak self] _ in
      self?.end()
      if let value = outcome.value.withLock({ $0 }) { completion(value) }
    }
    loop.awaitInSimulation(.thread) { [weak self] in self?.registration != nil }
    do throws(SystemError) {
      try DetachedThread.start(name) {
        let value = work()
        outcome.value.withLock { $0 = value }
        outcome.ended.signal()
      }
    } catch {
      end()
      throw error
    }
  }

  deinit { end() }

  private func end() {
    if let registration { loop.remove(registration) }
    registration = nil
  }
}
