import Quantities

/// A trip that has ended. Its locations refer to its start with ``LocationRecord/trip``.
public struct TripRecord: Equatable, Sendable {
  /// The cause of the end of a trip; the raw values are stored.
  public enum Ending: UInt8, Sendable, CaseIterable {
    /// A person or a program ended it.
    case asked
    /// The device was stationary.
    case stop
    /// The ignition was off for the configured time.
    case ignition
    /// No fix arrived for too long.
    case noFix
    /// The automatic pause started.
    case pause

    public var word: StaticString {
      switch self {
      case .asked: "asked"
      case .stop: "rest"
      case .ignition: "ignition"
      case .noFix: "no fix"
      case .pause: "pause"
      }
    }
  }

  /// A fix with its time.
  public struct Location: Equatable, Sendable {
    public var location: LocationRecord
    public var time: Instant

    public init(_ location: LocationRecord, time: Instant) {
      self.location = location
      self.time = time
    }
  }

  public var mode: TripMode
  public var start: Instant
  /// The time of arrival, not the later time at which the end was detected.
  public var end: Instant
  /// The first stored fix of sufficient accuracy.
  public var startLocation: Location?
  /// The last stored fix.
  public var endLocation: Location?
  /// Duration in ms, measured on the boot clock if start and end are in one boot.
  public var durationMilliseconds: Int64
  /// Sum of the legs between fixes, mm.
  public var distanceMillimetres: Int64
  /// Steps from start to end; nil without a counter.
  public var steps: Int32?
  /// True if a person or a program started it.
  public var isManual: Bool
  public var ending: Ending
  /// True if only the two ends of the trip are known; its distance is the straight line between them.
  public var isReconstructed = false
  /// The state of the device when the record was written.
  public var device: DeviceState

  public init(
    mode: TripMode, start: Instant, end: Instant, durationMilliseconds: Int64, distanceMillimetres: Int64,
    isManual: Bool, ending: Ending, device: DeviceState
  ) {
    self.mode = mode
    self.start = start
    self.end = end
    self.durationMilliseconds = durationMilliseconds
    self.distanceMillimetres = distanceMillimetres
    self.isManual = isManual
    self.ending = ending
    self.device = device
  }
}
