import Energy
import Quantities
import Records
import Scheduling

/// The tracker's part of the configuration, in the form that its rules use.
public struct TrackerSettings: Equatable, Sendable {
  /// The master switch: off ends a running trip and starts none.
  public var isTracking = true
  /// True if locations are recorded. With `tracking_mode: "off"` fixes are examined only.
  public var keepsLocations = true
  /// The ordinary recording rules, `min_time` and `min_distance`.
  public var decimation = Decimation()
  /// The tracking policy; nil leaves the receiver on, and the recording rules decide about every fix.
  public var policy: TrackingPolicy?
  /// True if recording pauses while the device is stationary. Begin and end of a pause are logged.
  public var pausesWhileStationary = false
  /// The tracking policy during automatic trips.
  public var tripPolicy = TripPolicy.asBefore
  /// The tracking policy during trips by hand; nil leaves the receiver on.
  public var manualTripPolicy: TrackingPolicy?
  /// The receiver's currents, by which the schedule selects how it sleeps.
  public var currents = ReceiverCurrents.neoM8N
  /// True if the receiver keeps its data when the supply is cut.
  public var hasBackupSupply = true
  /// The recording rules of each profile; without an active one ``decimation`` applies.
  public var profiles = ProfileRules()
  /// Worst horizontal accuracy in metres. Fixes above it, or without accuracy, are rejected. Nil if off.
  public var maxAccuracy: Double?
  /// Time without a good fix after which the best of the poor ones is recorded; nil for never.
  public var accuracyRetryWindow: Duration?
  /// The distance in metres for which epochs may wait in the receiver or the serial buffer; nil reads each
  /// immediately.
  public var deferredDistance: Double?
  /// Time that epochs may wait at any speed; zero reads every epoch immediately.
  public var coalescingInterval = Duration.zero
  /// The rules by which the supply counts as motion.
  public var supplyMotion = SupplyRules()
  /// The rules of driving events.
  public var driving = DrivingRules()
  /// The rules of trips.
  public var trips = TripRules()
  /// The rules of visits; nil if off.
  public var visits: VisitRules?
  /// The zones in the order of evaluation; names are unique.
  public var zones: [Zone] = []
  /// The Wi-Fi zones; names are unique.
  public var wifiZones: [WifiZone] = []
  /// Shortest interval between two scans for access points while stationary; nil if off.
  public var scanInterval: Duration?
  /// The rules of the circle around the parking position; nil if off.
  public var parking: ParkingRules?
  /// Radius in metres around the first fix of a stop within which the device counts as stationary.
  public var stopRadius = 50.0
  /// True if records of a parked device show the parking position, without speed and course.
  public var freezesWhenParked = false
  /// The same, but only while the ignition line is off.
  public var freezesWithIgnitionOff = false
  /// Speed in m/s below which a record shows speed 0 and no course. Nil keeps the receiver's values.
  public var quietSpeed: Double?
  /// True if the motion state is derived from the speed of the fixes without an accelerometer.
  public var derivesMotion = true
  /// The settings that Overland's tracking statistics show in every record; nil without them.
  public var statistics: TrackingStatistics?
  /// The statistics during a trip; nil for the same.
  public var tripStatistics: TrackingStatistics?
  /// The name written into every record.
  public var deviceID: String
  /// The limits of the power levels; nil without a source for the supply.
  public var power: PowerRules?
  /// The battery budget; nil if the capacity is unknown.
  public var budget: PowerBudget.Rules?
  /// The battery's state that records contain without a gauge.
  public var batteryWithoutGauge = Battery.full

  /// The tracking policy of an automatic trip.
  public enum TripPolicy: Equatable, Sendable {
    case asBefore
    /// A separate policy; nil leaves the receiver on.
    case own(TrackingPolicy?)
  }

  /// The tracking policy in effect; `isManual` is nil outside trips.
  func policy(inTripByHand isManual: Bool?) -> TrackingPolicy? {
    switch isManual {
    case nil: return policy
    case true?: return manualTripPolicy
    case false?:
      guard case .own(let own) = tripPolicy else { return policy }
      return own
    }
  }

  /// True if fixes are used for more than the comparison with the last record.
  var needsPositions: Bool {
    trips.isAutomatic || visits != nil || !zones.isEmpty || parking != nil || !profiles.isEmpty
      || freezesWhenParked
  }

  /// True if trips of which only the ends are known are recorded: with automatic trips and recorded locations.
  var reconstructsTrips: Bool { isTracking && keepsLocations && trips.isAutomatic }

  /// True if a stop counts as soon as it has lasted, without another fix.
  var dependsOnStop: Bool { !profiles.isEmpty || freezesWhenParked }

  /// True if records of a stationary device show one position; `ignition` is nil without a line.
  func freezes(ignition: Bool?) -> Bool {
    ignition != true && (freezesWhenParked || (freezesWithIgnitionOff && ignition == false))
  }

  /// The recording rules of a profile; the ordinary ones if it has none.
  func rules(in profile: ProfileCondition?) -> AcquisitionRules {
    profile.flatMap { profiles[$0] } ?? decimation.rules
  }

  public init(deviceID: String) { self.deviceID = deviceID }
}
