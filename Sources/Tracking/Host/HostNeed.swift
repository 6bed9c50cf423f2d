import Quantities

/// What a host must be up for, and when.
public struct HostNeed: Equatable, Sendable {
  public enum Purpose: String, Sendable, CaseIterable {
    /// The receiver's next look.
    case look
    /// Heartbeat, visits, zones and what else of the tracker has a time.
    case tracking
    case send
    /// A silenced box shows itself.
    case checkIn
    /// Nothing wants it, and it looks after itself all the same.
    case longest

    /// The word for it among the fields of an event.
    public var field: String {
      switch self {
      case .look: "position_check"
      case .tracking: "heartbeat_visit_or_zone"
      case .send: "upload"
      case .checkIn: "check_in"
      case .longest: "self_check"
      }
    }

    /// A noun phrase for people.
    public var words: String {
      switch self {
      case .look: "the next position check"
      case .tracking: "a heartbeat, visit or zone"
      case .send: "the next upload"
      case .checkIn: "a check-in"
      case .longest: "a self-check"
      }
    }
  }

  public var purpose: Purpose
  public var at: Moment

  public init(_ purpose: Purpose, at: Moment) {
    self.purpose = purpose
    self.at = at
  }
}

/// All that decides whether a host may go down now.
public struct HostSituation: Equatable, Sendable {
  /// The first that was found; nil: nothing keeps it up.
  public var hold: HostHold?
  /// Of each purpose the earliest; without any it sleeps for the longest time.
  public var needs: [HostNeed]

  public init(hold: HostHold?, needs: [HostNeed] = []) {
    self.hold = hold
    self.needs = needs
  }

  var earliest: HostNeed? { needs.min { $0.at < $1.at } }
}
