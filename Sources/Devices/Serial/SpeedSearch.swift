import Quantities

/// Finds the speed of a line by listening: a speed is right when two frames with a valid checksum were seen.
///
/// Silence proves nothing (the receiver may sleep), so the search moves on only when bytes came and no frame
/// among them; a silent line is never polled. A proven speed is given up when many bytes bring no frame: a
/// receiver that lost its supply talks at the speed of its factory again.
public struct SpeedSearch: Equatable, Sendable {
  /// What to do next.
  public enum Step: Equatable, Sendable {
    case listen
    /// Set the line to this speed and forget half frames.
    case change(to: UInt32)
    /// The speed is proven.
    case found(UInt32)
  }

  /// The usual speeds of tracker modules, most likely first.
  public static let usualSpeeds: [UInt32] = [
    9600, 115_200, 38_400, 57_600, 4800, 230_400, 460_800, 921_600, 19_200,
  ]

  /// Longer than the output period of a receiver at 1 Hz, with the length of its burst.
  static let patience = Duration.milliseconds(2500)
  /// Bytes without a frame that rule a speed out: more than the longest sentence.
  static let enoughBytes = 1500
  static let enoughFrames = 2
  /// A single frame is no accident: the other one is waited for, longer than the slowest usual interval.
  static let patienceAfterFrame = Duration.seconds(12)
  /// Bytes without a frame that rule out a speed that was proven before.
  static let lostBytes = 4500

  private let speeds: [UInt32]
  private var index = 0
  private var bytes = 0
  private var frames = 0
  private var isFound = false
  /// When listening at the present speed ends; nil while nothing was heard at it.
  public private(set) var nextTimeout: Moment?
  /// Speeds given up since the last proof; a whole round means that the line is garbled at every speed.
  public private(set) var refused = 0

  /// `first` is tried before the usual ones.
  public init(first: UInt32? = nil) {
    speeds = (first.map { [$0] } ?? []) + Self.usualSpeeds.filter { $0 != first }
  }

  /// A search that is over before it begins: the operator named the speed.
  public init(fixed speed: UInt32) {
    speeds = [speed]
  }

  public var speed: UInt32 { speeds[index] }
  /// Two frames were seen at this speed, and frames ever since.
  public var isProven: Bool { isFound }
  public var isGarbled: Bool { refused >= speeds.count }

  /// Tells what was heard since the last call.
  public mutating func heard(bytes: Int, validFrames: Int, now: Moment) -> Step {
    guard bytes > 0 else { return .listen }
    guard !isFound else { return check(bytes: bytes, validFrames: validFrames) }
    self.bytes += bytes
    if nextTimeout == nil { nextTimeout = now + Self.patience }
    if frames == 0, validFrames > 0 { nextTimeout = now + Self.patienceAfterFrame }
    frames += validFrames
    if frames >= Self.enoughFrames {
      isFound = true
      self.bytes = 0
      nextTimeout = nil
      refused = 0
      return .found(speed)
    }
    return frames == 0 && self.bytes >= Self.enoughBytes ? moveOn() : .listen
  }

  public mutating func handleTimeout(now: Moment) -> Step {
    guard let nextTimeout, now >= nextTimeout, !isFound else { return .listen }
    return moveOn()
  }

  private mutating func check(bytes: Int, validFrames: Int) -> Step {
    self.bytes = validFrames > 0 ? 0 : self.bytes + bytes
    guard self.bytes >= Self.lostBytes else { return .listen }
    isFound = false
    return moveOn()
  }

  private mutating func moveOn() -> Step {
    bytes = 0
    frames = 0
    nextTimeout = nil
    refused += 1
    index = (index + 1) % speeds.count
    return speeds.count == 1 ? .listen : .change(to: speed)
  }
}
