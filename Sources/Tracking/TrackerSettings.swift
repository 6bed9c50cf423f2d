import Energy
import Quantities
import Records

/// What the tracker needs to know of the operator's wishes.
public struct TrackerSettings: Equatable, Sendable {
  /// The master switch: false ends a running trip, and none begins.
  public var isTracking = true
  /// False with `tracking_mode: "off"`: fixes are looked at and nothing is kept.
  public var keepsLocations = true
  public var thinning = Thinning()
  /// When the receiver sleeps and which fixes are wanted; nil leaves it on and all of them to the rules.
  public var scheme: ReceiverScheme?
  /// While the device is stationary recording pauses: the log tells when a pause begins and ends.
  public var pausesAtRest = false
  /// What takes the place of ``scheme`` while a trip runs that began by itself.
  public var tripScheme = TripScheme.asBefore
  /// What takes the place of ``scheme`` while a trip by hand runs; nil leaves the receiver on.
  public var manualTripScheme: ReceiverScheme?
  /// What the receiver draws, by which the plan chooses how to rest.
  public var currents = ReceiverCurrents.neoM8N
  /// What the receiver knows outlives a cut of its supply.
  public var hasBackupSupply = true
  /// The rules of each profile; where none is active ``thinning`` counts.
  public var profiles = ProfileRules()
  /// Metres; fixes that are worse, or say nothing of it, are left out. Nil is off.
  public var maxAccuracy: Double?
  /// After so long without a good fix the best of the poor ones is kept; nil never keeps one.
  public var accuracyRetryWindow: Duration?
  /// The distance for which positions may wait in the receiver or the line's buffer, m; nil takes each at once.
  public var deferredDistance: Double?
  /// How long positions may wait in any case; zero takes each at once.
  public var gathering = Duration.zero
  /// How the supply tells of motion.
  public var supplyVotes = SupplyRules()
  /// Which ways of driving become events.
  public var driving = DrivingRules()
  public var trips = TripRules()
  /// Nil tells no visits.
  public var visits: VisitRules?
  /// In the order in which they are looked at; names are unique.
  public var zones: [Zone] = []
  /// Names are unique.
  public var wifiZones: [WifiZone] = []
  /// The least time between two scans for access points at rest; nil makes none.
  public var scanInterval: Duration?
  /// Nil draws no circle around the place of parking.
  public var parking: ParkingRules?
  /// Metres around the first fix of a stay within which the device counts as being there.
  public var restReach = 50.0
  /// True: while the device is parked each record has the place of parking, no speed and no course.
  public var freezesWhenParked = false
  /// The same, but only while an ignition line says off.
  public var freezesWithIgnitionOff = false
  /// m/s; below it a record has speed 0 and no course. Nil leaves both as the receiver gives them.
  public var quietSpeed: Double?
  /// Without an accelerometer the motion of records is derived from the speed of the fixes.
  public var derivesMotion = true
  /// How the logger is set, for those who ask for tracking statistics in each record.
  public var statistics: TrackingStatistics?
  /// What takes its place during a trip; nil for the same.
  public var tripStatistics: TrackingStatistics?
  /// The name written into each record.
  public var deviceID: String
  /// Where the levels of the battery begin; nil where nothing tells of the supply.
  public var power: PowerRules?
  /// Until when the battery is to last; nil where its capacity is unknown.
  public var budget: PowerBudget.Rules?
  /// What feeds the box where no gauge tells.
  public var supply = Supply.external

  /// The plan of a trip.
  public enum TripScheme: Equatable, Sendable {
    case asBefore
    /// Nil leaves the receiver on.
    case own(ReceiverScheme?)
  }

  /// What feeds the box.
  public enum Supply: Equatable, Sendable {
    /// Mains or a vehicle: reported as full.
    case external
    /// A battery: reported as unknown until a gauge has told its charge.
    case battery
  }

  /// The plan that counts; `isManual` is nil outside trips.
  func scheme(inTripByHand isManual: Bool?) -> ReceiverScheme? {
    switch isManual {
    case nil: return scheme
    case true?: return manualTripScheme
    case false?:
      guard case .own(let own) = tripScheme else { return scheme }
      return own
    }
  }

  /// True when more than the last record has to be watched.
  var watchesPlaces: Bool {
    trips.isAutomatic || visits != nil || !zones.isEmpty || parking != nil || !profiles.isEmpty
      || freezesWhenParked
  }

  /// A trip that no fix saw is told by its ends: where trips begin by themselves and positions are recorded.
  var reconstructsTrips: Bool { isTracking && keepsLocations && trips.isAutomatic }

  /// True where a rest counts as soon as it has lasted, though no fix comes.
  var heedsStop: Bool { !profiles.isEmpty || freezesWhenParked }

  /// True where records of a device that rests show one place; nil for an ignition that nobody tells of.
  func freezes(ignition: Bool?) -> Bool {
    ignition != true && (freezesWhenParked || (freezesWithIgnitionOff && ignition == false))
  }

  /// The rules that count in a profile; the ordinary ones where it has none.
  func rules(in profile: Profile?) -> AcquisitionRules {
    profile.flatMap { profiles[$0] } ?? thinning.rules
  }

  public init(deviceID: String) { self.deviceID = deviceID }
}
