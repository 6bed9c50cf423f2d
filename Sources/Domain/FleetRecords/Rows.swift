import Quantities

/// The identity of a row within a device: its time and number.
public struct RowID: Hashable, Sendable {
  /// UTC, within 1980 to 2100.
  public var time: Timestamp
  /// The number in the device's log, positive; or, for programs without numbers, a negative hash of the Feature.
  public var record: Int64

  public init(time: Timestamp, record: Int64) {
    self.time = time
    self.record = record
  }
}

/// The state of the device when a record was written.
public struct DeviceStateColumns: Equatable, Sendable {
  public var batteryState: BatteryState?
  /// 0...100.
  public var batteryPercent: UInt8?
  /// Name of the joined network; nil if there is none.
  public var wifi: String?

  public init(batteryState: BatteryState? = nil, batteryPercent: UInt8? = nil, wifi: String? = nil) {
    self.batteryState = batteryState
    self.batteryPercent = batteryPercent
    self.wifi = wifi
  }
}

/// A position in units of 1e-7 degrees.
public struct PlaceColumns: Equatable, Sendable {
  /// -900 000 000...900 000 000.
  public var latitudeE7: Int32
  /// -1 800 000 000...1 800 000 000.
  public var longitudeE7: Int32

  public init(latitudeE7: Int32, longitudeE7: Int32) {
    self.latitudeE7 = latitudeE7
    self.longitudeE7 = longitudeE7
  }
}

/// A row of `location`; nil is unknown.
public struct LocationRow: Equatable, Sendable {
  public var id: RowID
  public var place: PlaceColumns
  public var altitudeMillimetres: Int32?
  public var speedMillimetresPerSecond: Int32?
  public var courseMillidegrees: Int32?
  public var horizontalAccuracyMillimetres: Int32?
  public var verticalAccuracyMillimetres: Int32?
  public var speedAccuracyMillimetresPerSecond: Int32?
  public var courseAccuracyMillidegrees: Int32?
  public var dilutionTenths: UInt16?
  public var fix: FixKind?
  public var satellites: UInt8?
  public var accuracySource: AccuracySource?
  public var timeQuality: ClockQuality?
  public var motion: MotionStates?
  /// The raw value of the device's recording reasons.
  public var reasons: Int32?
  public var steps: Int32?
  /// The start of the trip to which it belongs.
  public var trip: Timestamp?
  public var device: DeviceStateColumns
  /// A JSON object of what has no column; nil if there is nothing.
  public var extra: String?

  public init(id: RowID, place: PlaceColumns, device: DeviceStateColumns = DeviceStateColumns()) {
    self.id = id
    self.place = place
    self.device = device
  }
}

/// A row of `visit`; nil is unknown.
public struct VisitRow: Equatable, Sendable {
  public var id: RowID
  public var place: PlaceColumns?
  public var arrival: Timestamp?
  public var departure: Timestamp?
  public var horizontalAccuracyMillimetres: Int32?
  public var radiusMillimetres: Int32?
  public var device: DeviceStateColumns
  public var extra: String?

  public init(id: RowID, place: PlaceColumns?, device: DeviceStateColumns = DeviceStateColumns()) {
    self.id = id
    self.place = place
    self.device = device
  }
}

/// A row of `trip`; nil is unknown.
public struct TripRow: Equatable, Sendable {
  public var id: RowID
  public var start: Timestamp?
  public var end: Timestamp?
  public var mode: String?
  public var durationMilliseconds: Int64?
  public var distanceMillimetres: Int64?
  public var steps: Int32?
  public var startPlace: PlaceColumns?
  public var endPlace: PlaceColumns?
  public var isManual: Bool?
  /// A word of the device's view `trip`.
  public var ending: String?
  public var isReconstructed: Bool
  public var device: DeviceStateColumns
  public var extra: String?

  public init(id: RowID, isReconstructed: Bool = false, device: DeviceStateColumns = DeviceStateColumns()) {
    self.id = id
    self.isReconstructed = isReconstructed
    self.device = device
  }
}

/// A row of `action`: a change of the tracking state, as the Overland protocol has it.
public struct ActionRow: Equatable, Sendable {
  public var id: RowID
  public var action: String
  public var place: PlaceColumns?
  public var device: DeviceStateColumns
  public var extra: String?

  public init(
    id: RowID, action: String, place: PlaceColumns?, device: DeviceStateColumns = DeviceStateColumns()
  ) {
    self.id = id
    self.action = action
    self.place = place
    self.device = device
  }
}

/// A row of `event`.
public struct EventRow: Equatable, Sendable {
  public var id: RowID
  public var kind: String
  /// One sentence for a person.
  public var detail: String
  public var value: Int64?
  /// The named values, a JSON object.
  public var fields: String?

  public init(id: RowID, kind: String, detail: String = "", value: Int64? = nil, fields: String? = nil) {
    self.id = id
    self.kind = kind
    self.detail = detail
    self.value = value
    self.fields = fields
  }
}
