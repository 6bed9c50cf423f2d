/// What is recorded, in the words of Overland's `tracking_mode`.
public enum TrackingMode: String, Sendable, CaseIterable { case off, standard, significant, both }

/// How exact a position is wanted, in the words of Overland's `desired_accuracy`.
public enum DesiredAccuracy: String, Sendable, CaseIterable {
  case nav, best
  case metres10 = "10m"
  case metres100 = "100m"
  case kilometre1 = "1km"
  case kilometres3 = "3km"
}

/// Which records a destination gets, in the words of Overland's `logging_mode`.
public enum LoggingMode: String, Sendable, CaseIterable {
  /// Every record.
  case all
  /// The newest position of each send.
  case latest
  /// The newest position, in the form of OwnTracks.
  case owntracks
}

/// A set of tracking settings under one word.
public enum UsageProfile: String, Sendable, CaseIterable {
  case highResolution = "high-resolution"
  case batterySaving = "battery-saving"
  case significantOnly = "significant-only"
}

/// What the box moves with, in the words of Overland's `activity_type`.
public enum ActivityType: String, Sendable, CaseIterable {
  case other, car
  /// On foot or on a bicycle.
  case fitness
  /// Boats, trains and whatever else navigates.
  case nav
  case air
}

/// How far the logger may configure the receiver.
public enum ReceiverControl: String, Sendable, CaseIterable {
  /// Only listens; not a byte is written.
  case none
  /// Sets speed, rate and messages.
  case full
}

/// Whether the receiver may track in cyclic mode.
public enum CyclicMode: String, Sendable, CaseIterable {
  /// Where it has one and the plan gains by it.
  case automatic = "auto"
  case off
}

/// Who begins and ends trips.
public enum TripStart: String, Sendable, CaseIterable {
  /// A person, a program or a server's answer.
  case manual
  /// Motion and rest as well.
  case automatic
}

/// Where the charge comes from.
public enum Supply: String, Sendable, CaseIterable { case mains, vehicle, battery }

/// The least urgent message that is still logged.
public enum LogLevel: String, Sendable, CaseIterable { case error, warning, notice, debug }

/// The protocol that a destination speaks.
public enum DestinationKind: String, Sendable, CaseIterable {
  case overland, owntracks, query
  /// No server: files in a directory.
  case file
}

/// Which server an Overland destination is, where that matters.
public enum ServerProfile: String, Sendable, CaseIterable {
  case overland, dawarich, geopulse, reitti, phonetrack, openHumans = "open_humans", compass, wayfinder, trace
  case traceHourly = "trace_hourly"
  case gpslogger
}

/// Where a destination's token stands.
public enum TokenPlace: String, Sendable, CaseIterable { case header, query }

/// What a destination counts speed in.
public enum SpeedWord: String, Sendable, CaseIterable {
  case knots
  case metresPerSecond = "m/s"
  case kilometresPerHour = "km/h"
}

/// How a query destination is asked.
public enum QueryMethod: String, Sendable, CaseIterable { case get, post }

/// Which files a file destination writes.
public enum TrackFileFormat: String, Sendable, CaseIterable { case geojson, gpx, both }

/// The rate of the receiver's serial port.
public enum ReceiverSpeed: Equatable, Sendable, CustomStringConvertible {
  /// Found by listening.
  case automatic
  /// In bit/s.
  case fixed(UInt32)

  public var description: String {
    switch self {
    case .automatic: "auto"
    case .fixed(let speed): "\(speed)"
    }
  }
}
