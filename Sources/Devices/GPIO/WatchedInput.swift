import Glibc
import Quantities
import SystemLoop

/// An input that is watched for as long as the program runs: it is opened again with growing pauses when it cannot be
/// had, or when its chip goes away.
public final class WatchedInput {
  public enum Notice: Equatable {
    /// The level it has, told at the start and with each change.
    case level(isActive: Bool)
    /// It cannot be read. Told once until it can.
    case lost(SystemError)
  }

  /// Opens the line; the level is asked for right after that.
  public typealias Opening = (_ onReport: @escaping (InputLine.Report, Moment) -> Void) throws(SystemError) ->
    any LevelInput

  /// Between two attempts; a chip that comes with a module of the kernel is there within the first.
  static let firstPause = Duration.seconds(2)
  static let longestPause = Duration.seconds(600)

  public let wiring: LineWiring
  public var onNotice: (Notice, Moment) -> Void = { _, _ in }
  private let loop: EventLoop
  private let open: Opening
  private var line: (any LevelInput)?
  private var level: Bool?
  private var isLost = false
  private var pause = WatchedInput.firstPause
  private var retryTimer: LoopTimer?

  /// `debounce`, in whole milliseconds: shorter pulses are no change.
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
      pause = Self.firstPause
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
    retryTimer?.arm(at: now + pause, slack: pause / 4)
    pause = min(pause * 2, Self.longestPause)
    guard !isLost else { return }
    isLost = true
    onNotice(.lost(error), now)
  }
}

/// What tells a level and can be closed.
public protocol LevelInput: AnyObject {
  /// Nil when it does not answer.
  var isActive: Bool? { get }
  func stop()
}

extension InputLine: LevelInput {}
