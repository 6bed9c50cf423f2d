// Closed vocabularies that settings, schedules, records and formats share. The raw values are the words of settings.

/// The tracking mode, with the words of Overland's `tracking_mode`.
public enum TrackingMode: String, Sendable, CaseIterable { case off, standard, significant, both }

/// The desired accuracy of locations, with the words of Overland's `desired_accuracy`.
public enum DesiredAccuracy: String, Sendable, CaseIterable {
  /// As ``best``, without modes of the receiver that save energy at the cost of accuracy.
  case nav
  case best
  case metres10 = "10m"
  case metres100 = "100m"
  case kilometre1 = "1km"
  case kilometres3 = "3km"
}

/// A preset of tracking settings.
public enum UsageProfile: String, Sendable, CaseIterable {
  case highResolution = "high-resolution"
  case batterySaving = "battery-saving"
  case significantOnly = "significant-only"
}

/// The means of transport, with the words of Overland's `activity_type`.
public enum ActivityType: String, Sendable, CaseIterable {
  case other, car
  /// Movement on foot or by bicycle.
  case fitness
  /// Boats, trains and other vehicles.
  case nav
  case air
}

/// The power supply of the device.
public enum Supply: String, Sendable, CaseIterable { case mains, vehicle, battery }

/// The importance of a line of the journal, most important first.
public enum LogLevel: String, Sendable, CaseIterable { case error, warning, notice, debug }

/// What clients of the local API may read without a token.
public enum GuestMode: String, Sendable, CaseIterable {
  case off
  /// All but positions, settings and satellites.
  case status
  /// Positions, too.
  case positions
}

/// The sleep state of a host.
public enum HostDepth: String, Sendable, CaseIterable {
  /// Memory stays powered, and the logger continues after it.
  case suspend
  /// Off, until the clock chip or an external circuit starts it.
  case halt
}

/// A condition under which a profile, a set of recording rules, applies.
public enum ProfileCondition: String, Sendable, CaseIterable {
  /// The power level is low or critical.
  case lowBattery = "low_battery"
  /// The device is in a zone with `profile`.
  case inZone = "in_zone"
  /// On external supply.
  case charging
  /// During a trip.
  case trip
  case moving, stop, always
}

/// The unit of speed that a server expects.
public enum SpeedUnit: String, Sendable, CaseIterable {
  case knots
  case metresPerSecond = "m/s"
  case kilometresPerHour = "km/h"
}

/// The permission to configure the receiver.
public enum ReceiverControl: String, Sendable, CaseIterable {
  /// Only listens; writes no byte.
  case none
  /// Identifies the receiver, sets baud rate, fix rate and messages, puts it to sleep and wakes it.
  case full
}

/// The baud rate of the receiver's serial port.
public enum ReceiverSpeed: Equatable, Sendable, CustomStringConvertible {
  /// Detected by listening; may be changed.
  case automatic
  /// A fixed baud rate in bit/s.
  case fixed(UInt32)

  public var description: String {
    switch self {
    case .automatic: "auto"
    case .fixed(let speed): "\(speed)"
    }
  }
}

/// The position check: the receiver of a stationary device gets a fix, to find an unnoticed departure.
public enum PositionCheck {
  /// The interval of the checks on a device without motion sensor, unless the operator sets one.
  public static let intervalWithoutSensor = Duration.seconds(180)
  /// Distance in metres at which a position check of a device without motion sensor resumes recording.
  public static let distanceWithoutSensor = 30.0
}
