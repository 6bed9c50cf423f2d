import Quantities

extension ServerChanges {
  /// The settings that concern servers.
  public struct Rules: Equatable, Sendable {
    public var maxSilence: Duration
    /// The destinations to which a server may have stopped sending.
    public var silenced: Set<String>
    /// True while the master switch is on. Check-ins require it.
    public var isTracking: Bool
    /// The permissions of servers; nil: not yet known, so that every value applies.
    public var permissions: ServerPermissions?

    public init(
      maxSilence: Duration = .seconds(86_400), silenced: Set<String> = [], isTracking: Bool = true,
      permissions: ServerPermissions? = nil
    ) {
      self.permissions = permissions
      self.maxSilence = maxSilence
      self.silenced = silenced
      self.isTracking = isTracking
    }
  }

  /// The trial of a setting whose value is not proven.
  public struct Trial: Equatable, Sendable {
    /// The time of the trial. A further value during the trial does not restart it.
    var time: TrialTime
    /// The destination whose acknowledgement proves the value.
    public var by: String
    /// Id of the last location before the present value; those with greater ids were recorded under the value.
    public var afterRecord: Int64
    /// The last proven value; nil for none.
    public var before: String?
    /// The destination whose server set that value; nil if unknown.
    public var beforeBy: String?
    /// The number of consecutive short runs.
    public var briefStarts = 0
    /// The number of planned contacts of a host that sleeps in between, without a proof of the present value.
    public var missedContacts = 0

    /// The start of the trial; before the start of the boot clock if it is older than the boot.
    public var since: Moment { time.since }
  }

  /// A value that was rolled back, and the number of times.
  public struct Failure: Equatable, Sendable {
    public var value: String
    public var count: Int
    /// The destination whose server had set it; nil if unknown.
    public var by: String?
    /// True if that server has requested another value since, so that it may request this one again.
    public var mayBeRetried = false
  }

  /// A value that a server requests and that the value of a preceding server overrides.
  public struct Outranked: Equatable, Sendable {
    public var key: ServerKey
    /// The requested value.
    public var value: String
    /// The value in force, and the destination whose server set it.
    public var present: String
    public var setter: String
  }

  /// An input.
  public enum Event: Equatable, Sendable {
    /// A server requests these values. Records up to `afterRecord` were made before them.
    case requested([ServerKey: String], by: String, afterRecord: Int64)
    /// A server removes its own values of these settings.
    case unsetRequested([ServerKey], by: String)
    /// A server has acknowledged records, with the newest location among them. `inSpiteOf` has the paths of the settings that
    /// would have rejected this location if it had not been requested; it does not prove them.
    case answered(by: String, newestLocation: Int64?, inSpiteOf: Set<String> = [])
    /// An attempt to send to this destination failed.
    case failed(by: String)
    /// The host is about to sleep: the contacts since its wake-up are over.
    case sleeping
    /// The time is known.
    case dated(WallTime)
    case rules(Rules)
    /// The operator removes the values that servers have set at these paths.
    case unset(Set<String>)
    /// The program is about to end normally.
    case stopping
  }

  /// An output, to be carried out by the owner.
  public enum Action: Equatable, Sendable {
    /// ``values`` have changed; apply them below those of the operator.
    case changed
    /// The trials of these settings have started.
    case began([ServerKey])
    /// These values were rolled back and their server has not requested others since, or they were rolled back too often.
    /// They are not tried again.
    case refused([ServerKey])
    /// This server has changed these settings too often within ``hour``; the new values are postponed. `isNew` if this was not
    /// reported since the last change.
    case postponed([ServerKey], isNew: Bool)
    /// These postponed values are due: pass them again as ``Event/requested(_:by:afterRecord:)``.
    case due([ServerKey: String], by: String)
    /// The postponed removal of these values is due: pass it again as ``Event/unsetRequested(_:by:)``.
    case dueToUnset([ServerKey], by: String)
    /// This server has removed its values of these settings.
    case unset([ServerKey], by: String)
    /// This server cannot remove the values of these settings, because it has set none.
    case notItsOwn([ServerKey])
    /// These settings keep the value of a preceding server.
    case outranked([Outranked])
    case proven([ServerKey])
    /// These values of one destination's server were rolled back; the name is empty if the destination is unknown.
    case rolledBack([ServerKey], by: String, Reason)
    /// Record a fresh location in any mode, and send it to these destinations immediately.
    case checkIn([String])
    /// Store ``record(now:boot:utc:)`` for the next start.
    case keep
  }

  /// The reason for a rollback.
  public enum Reason: Hashable, Sendable {
    case unproven
    /// Planned contacts of a host that sleeps in between did not prove it.
    case missedContacts
    /// The program repeatedly ended soon after its start.
    case crashes
    /// The server may not set it, with the reason; this applies to proven values, too.
    case mayNotSet(ServerPermissions.Objection)
    /// The operator removed it.
    case unset
  }
}
