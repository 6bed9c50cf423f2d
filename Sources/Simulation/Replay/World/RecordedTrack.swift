import GNSSProtocol
import Simulation

/// A recorded day: one row per fix, in order of time. Rows after its 24 hours are dropped except the first,
/// which shows the position after the end.
public struct RecordedTrack: Equatable, Sendable {
  /// A row of the recording.
  struct Row: Equatable, Sendable {
    /// Time in Unix seconds.
    var time: Double
    var position: GeoPoint
    /// True if a fix is possible.
    var hasReception: Bool
  }

  /// A position with its time.
  public struct Fix: Sendable {
    var time: Double
    var latitude: Double
    var longitude: Double

    /// Creates a point from Unix time in seconds and degrees.
    public init(time: Double, latitude: Double, longitude: Double) {
      self.time = time
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  let rows: [Row]

  /// Reads `t_unix,lat,lon[,…]` with a header that names the columns; 0 in a column `sky` means that no fix
  /// is possible. A column `label` is ignored.
  public init(csv: some Sequence<UInt8>) throws(TrackError) {
    var reading = TrackReading()
    try reading.take(csv)
    self = try reading.finish()
  }

  init(rows: [Row]) { self.rows = rows }
}
