import Quantities

/// A task that requires the host to be awake, with its time.
public struct HostNeed: Equatable, Sendable {
  /// The kind of task.
  public enum Purpose: String, Sendable, CaseIterable {
    /// The next position check.
    case look
    /// A heartbeat, visit, zone or other deadline of the tracker.
    case tracking
    case send
    /// A check-in: a request for remote settings without records.
    case checkIn
    /// The receiver has stored epochs while the host sleeps, and has little room left.
    case storedEpochs
    /// A self-check after the longest sleep, without any other task.
    case longest

    /// The word for the purpose in the fields of an event.
    public var field: String {
      switch self {
      case .look: "position_check"
      case .tracking: "heartbeat_visit_or_zone"
      case .send: "upload"
      case .checkIn: "check_in"
      case .storedEpochs: "stored_epochs"
      case .longest: "self_check"
      }
    }

    /// The purpose as a noun phrase for people.
    public var text: String {
      switch self {
      case .look: "the next position check"
      case .tracking: "a heartbeat, visit or zone"
      case .send: "the next upload"
      case .checkIn: "a check-in"
      case .storedEpochs: "reading the epochs that the receiver stores"
      case .longest: "a self-check"
      }
    }
  }

  public var purpose: Purpose
  /// The time of the task.
  public var at: Moment

  public init(_ purpose: Purpose, at: Moment) {
    self.purpose = purpose
    self.at = at
  }
}

/// The inputs of ``HostSchedule``: the sleep inhibitor in effect and the next tasks.
public struct HostSituation: Equatable, Sendable {
  /// The first sleep inhibitor found; nil if none is in effect.
  public var inhibitor: HostSleepInhibitor?
  /// The earliest task of each purpose; if empty, the host sleeps for the longest time.
  public var needs: [HostNeed]

  public init(inhibitor: HostSleepInhibitor?, needs: [HostNeed] = []) {
    self.inhibitor = inhibitor
    self.needs = needs
  }

  var earliest: HostNeed? { needs.min { $0.at < $1.at } }
}
