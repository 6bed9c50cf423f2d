/// The selection of records for a destination, with the words of Overland's `logging_mode`.
public enum LoggingMode: String, Sendable, CaseIterable {
  /// Sends every record.
  case all
  /// The newest location of every send.
  case latest
  /// The newest location, in OwnTracks format.
  case owntracks
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
  case gpslogger, outrider
}

/// The position of a destination's token in a request.
public enum TokenPosition: String, Sendable, CaseIterable { case header, query }

/// The HTTP method of a query destination.
public enum QueryMethod: String, Sendable, CaseIterable { case get, post }

/// The format of the files of a file destination.
public enum TrackFileFormat: String, Sendable, CaseIterable { case geojson, gpx, both }
