import Quantities

/// A trip that has ended. Its start is what locations name as ``LocationRecord/trip``.
public struct TripRecord: Equatable, Sendable {
  /// What ended it; the raw values are stored.
  public enum Ending: UInt8, Sendable, CaseIterable {
    /// A person or a program did.
    case asked
    /// The device has come to rest.
    case rest
    /// The ignition was off for its time.
    case ignition
    /// There was no fix for so long that nobody knows what became of it.
    case noFix
    /// The automatic pause began.
    case pause

    public var word: StaticString {
      switch self {
      case .asked: "asked"
      case .rest: "rest"
      case .ignition: "ignition"
      case .noFix: "no fix"
      case .pause: "pause"
      }
    }
  }

  /// A fix with its time.
  public struct Place: Equatable, Sendable {
    public var location: LocationRecord
    public var time: Instant

    public init(_ location: LocationRecord, time: Instant) {
      self.location = location
      self.time = time
    }
  }

  public var mode: TripMode
  public var start: Instant
  /// When it really ended: the arrival, not the moment at which it was sure.
  public var end: Instant
  /// The first fix that was kept and good enough, as it was kept.
  public var startPlace: Place?
  /// The last fix that was kept.
  public var endPlace: Place?
  /// From start to end on the boot clock where both lie in one boot, ms.
  public var durationMilliseconds: Int64
  /// Sum of the legs between fixes, mm.
  public var distanceMillimetres: Int64
  /// Steps from start to end; nil without a counter.
  public var steps: Int32?
  /// True when a person or a program started it.
  public var isManual: Bool
  public var ending: Ending
  /// Nothing was recorded on the way: the trip is known by its two ends, and its distance is the straight line.
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
