/// The tracking mode, with the words of Overland's `tracking_mode`.
public enum TrackingMode: String, Sendable, CaseIterable { case off, standard, significant, both }

/// The desired accuracy of locations, with the words of Overland's `desired_accuracy`.
public enum DesiredAccuracy: String, Sendable, CaseIterable {
  case nav, best
  case metres10 = "10m"
  case metres100 = "100m"
  case kilometre1 = "1km"
  case kilometres3 = "3km"
}

/// The selection of records for a destination, with the words of Overland's `logging_mode`.
public enum LoggingMode: String, Sendable, CaseIterable {
  /// Sends every record.
  case all
  /// The newest location of every send.
  case latest
  /// The newest location, in OwnTracks format.
  case owntracks
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

/// The permission to configure the receiver.
public enum ReceiverControl: String, Sendable, CaseIterable {
  /// Only listens; writes no byte.
  case none
  /// Sets baud rate, fix rate and messages.
  case full
}

/// The use of cyclic tracking.
public enum CyclicMode: String, Sendable, CaseIterable {
  /// Used if the receiver supports it and the schedule gains by it.
  case automatic = "auto"
  case off
}

/// The way in which trips start and end.
public enum TripStart: String, Sendable, CaseIterable {
  /// Trips are started by a person, a program or a server's response.
  case manual
  /// Trips are also started and ended by motion and stops.
  case automatic
}

/// The power supply of the device.
public enum Supply: String, Sendable, CaseIterable { case mains, vehicle, battery }

/// The least urgent level of messages that are logged.
public enum LogLevel: String, Sendable, CaseIterable { case error, warning, notice, debug }

/// The protocol of a destination.
public enum DestinationKind: String, Sendable, CaseIterable {
  case overland, owntracks, query
  /// Files in a directory instead of a server.
  case file
}

/// The server of an Overland destination, if its format differs.
public enum ServerProfile: String, Sendable, CaseIterable {
  case overland, dawarich, geopulse, reitti, phonetrack, openHumans = "open_humans", compass, wayfinder, trace
  case traceHourly = "trace_hourly"
  case gpslogger
}

/// The position of a destination's token in a request.
public enum TokenPosition: String, Sendable, CaseIterable { case header, query }

/// The unit of speed of a destination.
public enum SpeedUnitSetting: String, Sendable, CaseIterable {
  case knots
  case metresPerSecond = "m/s"
  case kilometresPerHour = "km/h"
}

/// The HTTP method of a query destination.
public enum QueryMethod: String, Sendable, CaseIterable { case get, post }

/// The format of the files of a file destination.
public enum TrackFileFormat: String, Sendable, CaseIterable { case geojson, gpx, both }

/// The baud rate of the receiver's serial port.
public enum ReceiverSpeed: Equatable, Sendable, CustomStringConvertible {
  /// Detected by listening.
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
