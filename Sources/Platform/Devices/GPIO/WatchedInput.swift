import EventLoop
import Glibc
import Quantities
import System

/// An input that is monitored while the program runs. If it cannot be opened or its chip goes away, opening
/// is retried with a growing back-off.
public final class WatchedInput {
  /// A change of the input.
  public enum Notice: Equatable {
    /// The level, reported at the start and on each change.
    case level(isActive: Bool)
    /// The input cannot be read. Reported once until it can be read again.
    case lost(SystemError)
  }

  /// Opens the line; the level is read immediately afterwards.
  public typealias Opening = (_ onReport: @escaping (InputLine.Report, Moment) -> Void) throws(SystemError) ->
    any LevelInput

  /// First delay between two attempts. A chip that appears when its kernel module is loaded is present by
  /// then.
  static let firstPause = Duration.seconds(2)
  static let longestPause = Duration.seconds(600)

  public let wiring: LineWiring
  public var onNotice: (Notice, Moment) -> Void = { _, _ in }
  private let loop: EventLoop
  private let open: Opening
  private var line: (any LevelInput)?
  private var level: Bool?
  private var isLost = false
  private var backoff = Backoff(from: WatchedInput.firstPause, upTo: WatchedInput.longestPause)
  private var retryTimer: LoopTimer?

  /// Watches a line. Pulses shorter than `debounce`, in whole milliseconds, are ignored.
  public convenience init(loop: EventLoop, wiring: LineWiring, debounce: Duration) {
    self.init(loop: loop, wiring: wiring) { onReport throws(SystemError) in
      try InputLine(loop: loop, wiring: wiring, debounce: debounce, onReport: onReport)
    }
  }

  init(loop: EventLoop, wiring: LineWiring, open: @escaping Opening) {
    self.loop = loop
    self.wiring = wiring
    self.open = open
    retryTimer = loop.addTimer("input line") { [unowned self] now in tryToOpen(now: now) }
  }

  deinit { stop() }

  public func start() { tryToOpen(now: loop.now) }

  public func stop() {
    line?.stop()
    line = nil
    if let retryTimer { loop.removeTimer(retryTimer) }
    retryTimer = nil
  }

  func tryToOpen(now: Moment) {
    do throws(SystemError) {
      let opened = try open { [unowned self] report, now in take(report, now: now) }
      guard let isActive = opened.isActive else {
        opened.stop()
        throw SystemError(call: "GPIO_V2_LINE_GET_VALUES", subject: wiring.subject, number: EIO)
      }
      line = opened
      isLost = false
      backoff.reset()
      take(.level(isActive: isActive), now: now)
    } catch {
      lose(error, now: now)
    }
  }

  private func take(_ report: InputLine.Report, now: Moment) {
    switch report {
    case .level(let isActive):
      guard isActive != level else { return }
      level = isActive
      onNotice(.level(isActive: isActive), now)
    case .gone:
      line?.stop()
      line = nil
      lose(SystemError(call: "GPIO_V2_LINE_GET_VALUES", subject: wiring.subject, number: ENODEV), now: now)
    }
  }

  private func lose(_ error: SystemError, now: Moment) {
    level = nil
    let delay = backoff.next()
    retryTimer?.arm(at: now + delay, slack: delay / 4)
    guard !isLost else { return }
    isLost = true
    onNotice(.lost(error), now)
  }
}

/// An input with a level that can be closed.
public protocol LevelInput: AnyObject {
  /// The present level; nil if the input does not answer.
  var isActive: Bool? { get }
  func stop()
}

extension InputLine: LevelInput {}
