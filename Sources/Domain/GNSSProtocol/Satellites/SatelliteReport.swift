import Quantities

/// The satellites in view in one epoch of a receiver, each once, regardless of the number of its signals.
public struct SatelliteReport: Equatable, Sendable {
  /// UTC of the epoch; nil while the date is unknown.
  public var timestamp: Timestamp?
  /// Milliseconds since midnight UTC of the epoch, also without a date; nil if unknown.
  public var millisecondOfDay: Int32?
  /// The satellites in the order of the receiver; at most ``limit``.
  public internal(set) var satellites: [Satellite] = []
  public var horizontalDilution: Double?
  public var verticalDilution: Double?
  public var positionDilution: Double?

  /// Maximum number of satellites; no receiver has as many channels.
  public static let limit = 128

  init() { satellites.reserveCapacity(Self.limit) }

  /// Number of satellites used in the solution.
  public var used: Int { satellites.reduce(0) { $0 + ($1.isUsed ? 1 : 0) } }

  /// Adds a satellite, or another signal of one that is present.
  mutating func add(_ satellite: Satellite) {
    if let index = satellites.firstIndex(where: { $0.id == satellite.id }) {
      satellites[index].elevation = satellite.elevation ?? satellites[index].elevation
      satellites[index].azimuth = satellite.azimuth ?? satellites[index].azimuth
      if satellite.signal ?? 0 > satellites[index].signal ?? 0 { satellites[index].signal = satellite.signal }
      if satellite.isUsed { satellites[index].isUsed = true }
    } else if satellites.count < Self.limit {
      satellites.append(satellite)
    }
  }

  /// Marks the satellites used; those that are not in view are ignored.
  mutating func mark(used: [SatelliteID]) {
    for index in satellites.indices where used.contains(satellites[index].id) {
      satellites[index].isUsed = true
    }
  }

  /// Removes all content but keeps the storage.
  mutating func clear() {
    satellites.removeAll(keepingCapacity: true)
    timestamp = nil
    millisecondOfDay = nil
    horizontalDilution = nil
    verticalDilution = nil
    positionDilution = nil
  }
}
