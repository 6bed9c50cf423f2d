import EventLoop
import Quantities

/// The destinations to which a fresh position is sent as soon as it is durable: at a check-in, or by `outrider send`.
///
/// If no position is acquired in time, their queues are sent without it.
final class CheckIns {
  /// The result of a request for a fresh position.
  enum Request {
    /// There is none to wait for: the last position is fresh.
    case fresh
    /// There is none to wait for: an acquisition failed recently.
    case declined
    /// The position that others wait for serves this request, too.
    case joined
    /// A position must be acquired.
    case acquire

    /// True if a position is sent later.
    var isAwaited: Bool {
      switch self {
      case .fresh, .declined: false
      case .joined, .acquire: true
      }
    }
  }

  /// The age of the last position from which `outrider send` acquires a fresh one.
  static let freshness = Duration.seconds(60)
  /// The time that the sending waits for the fresh position; the acquisition takes about as long.
  static let positionTimeout = Duration.seconds(180)
  /// The minimum time between two such acquisitions if the first one failed.
  static let pauseBetweenPositions = Duration.seconds(300)

  /// Sends to a destination, with the position or without one; set before the first check-in.
  var send: (String, _ hasPosition: Bool) -> Void = { _, _ in }
  private let loop: EventLoop
  private var timer: LoopTimer?
  private var waiting: Set<String> = []
  /// True if the position was acquired and is being written.
  private(set) var isPositionTaken = false
  /// The time of the last acquisition for `outrider send`.
  private var askedAt: Moment?

  init(loop: EventLoop) {
    self.loop = loop
    timer = loop.addTimer("check-in") { [unowned self] _ in end() }
  }

  func stop() { if let timer { loop.removeTimer(timer) } }

  var isPending: Bool { !waiting.isEmpty }

  /// Adds destinations to those that wait.
  func add(_ names: [String]) { waiting.formUnion(names) }

  /// Sets the time until which the destinations wait for the position.
  func setDeadline(_ deadline: Moment) { timer?.arm(at: deadline) }

  /// Requests a fresh position for destinations; `lastPosition` is the time of the last one.
  func request(for names: [String], lastPosition: Moment?, now: Moment) -> Request {
    if let lastPosition, now - lastPosition < Self.freshness { return .fresh }
    if let askedAt, now - askedAt < Self.pauseBetweenPositions, lastPosition ?? .zero < askedAt {
      guard isPending else { return .declined }
      add(names)
      return .joined
    }
    askedAt = now
    if !isPending { setDeadline(now + Self.positionTimeout) }
    add(names)
    return .acquire
  }

  /// Notes that a location is about to be written. Returns true if a destination waits for it.
  func takePosition() -> Bool {
    if isPending { isPositionTaken = true }
    return isPositionTaken
  }

  /// Sends to the waiting destinations: the position is durable, or there is none.
  func end() {
    timer?.arm(at: nil)
    let (names, hasPosition) = (waiting, isPositionTaken)
    (waiting, isPositionTaken) = ([], false)
    for name in names { send(name, hasPosition) }
  }
}
