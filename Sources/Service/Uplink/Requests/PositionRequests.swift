import Quantities
import Records

/// The requests of one server for the position of the device: at most one each minute, and twelve an hour.
public struct PositionRequests: Sendable {
  /// The result of a command.
  public enum Outcome: Equatable, Sendable {
    /// The position is to be acquired and sent.
    case accepted
    /// The command is ignored. The reason is given for the first one of its kind only.
    case ignored(reason: String?)
  }

  /// The shortest time between two accepted requests.
  private static let shortestPause = Duration.seconds(60)

  private var limit = HourlyLimit(pause: shortestPause)
  /// The time of the last accepted request; nil before the first.
  private var asked: (moment: Moment, newest: RecordID)?
  /// The location that answers it; nil before it is rendered.
  private var answer: RecordID?
  private var reported: Set<Kind> = []

  private enum Kind { case action, unreadable, frequent }

  public init() {}

  /// Decides on a command. `newest` is the newest record of the log.
  public mutating func handle(_ command: ServerCommand, newest: RecordID, now: Moment) -> Outcome {
    switch command {
    case .other(let action): return ignore(.action, "action \(action) is not supported")
    case .unreadable(let reason): return ignore(.unreadable, "the command is not readable (\(reason))")
    case .reportLocation:
      guard limit.admits(now) else {
        return ignore(.frequent, "more than one request per minute, or \(HourlyLimit.most) per hour")
      }
      (asked, answer) = ((now, newest), nil)
      return .accepted
    }
  }

  private mutating func ignore(_ kind: Kind, _ reason: String) -> Outcome {
    .ignored(reason: reported.insert(kind).inserted ? reason : nil)
  }

  /// True if a location answers the last request: it is the first one of a later time that is sent.
  public mutating func isAnswer(_ stored: StoredRecord) -> Bool {
    if let answer { return answer == stored.id }
    // A moment of an earlier boot may be larger.
    guard let asked, stored.record.moment >= asked.moment, stored.id > asked.newest else { return false }
    answer = stored.id
    return true
  }
}

/// The receiver of the commands of a server.
public struct CommandChannel {
  /// Handles a text with commands. It must not call the transport before it has returned.
  public var handle: ([UInt8]) -> Void
  /// Handles a rejected subscription; with the reason.
  public var rejected: (String) -> Void
  /// Returns true if a location answers a command.
  public var isAnswer: (StoredRecord) -> Bool

  public init(
    handle: @escaping ([UInt8]) -> Void, rejected: @escaping (String) -> Void = { _ in },
    isAnswer: @escaping (StoredRecord) -> Bool = { _ in false }
  ) {
    (self.handle, self.rejected, self.isAnswer) = (handle, rejected, isAnswer)
  }
}
