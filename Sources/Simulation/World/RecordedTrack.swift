/// A recorded day as it was written: one row a fix, in order of time. What lies after its 24 hours is left out but for
/// the first row, which tells where the box was meanwhile.
public struct RecordedTrack: Equatable, Sendable {
  struct Row: Equatable, Sendable {
    /// Unix seconds.
    var time: Double
    var place: Place
    /// False where no fix is possible.
    var hasSky: Bool
  }

  /// A place at a time.
  public struct Fix: Sendable {
    var time: Double
    var latitude: Double
    var longitude: Double

    /// Unix seconds and degrees.
    public init(time: Double, latitude: Double, longitude: Double) {
      self.time = time
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  let rows: [Row]

  /// Reads `t_unix,lat,lon[,…]` with a header that names the columns; a column `sky` with 0 means no fix possible.
  /// A `label` is never looked at.
  public init(csv: some Sequence<UInt8>) throws(TrackError) {
    var reading = TrackReading()
    try reading.take(csv)
    self = try reading.finish()
  }

  init(rows: [Row]) { self.rows = rows }
}
