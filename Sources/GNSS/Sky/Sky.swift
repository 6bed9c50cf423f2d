import Quantities

/// The satellites that one epoch of a receiver sees, each once, however many of its signals are tracked.
public struct Sky: Equatable, Sendable {
  /// UTC of the epoch; nil while the date is unknown.
  public var timestamp: Timestamp?
  /// Milliseconds since midnight UTC of the epoch, also without a date; nil while unknown.
  public var millisecondOfDay: Int32?
  /// At most ``limit``, in the order in which the receiver names them.
  public internal(set) var satellites: [Satellite] = []
  public var horizontalDilution: Double?
  public var verticalDilution: Double?
  public var positionDilution: Double?

  /// Satellites beyond this are dropped; no receiver has as many channels for satellites.
  public static let limit = 128

  init() { satellites.reserveCapacity(Self.limit) }

  /// Satellites that are part of the solution.
  public var used: Int { satellites.reduce(0) { $0 + ($1.isUsed ? 1 : 0) } }

  /// Takes a satellite in, or further signals of one that is there.
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

  /// Satellites of `used` that are not in view are left out.
  mutating func mark(used: [SatelliteID]) {
    for index in satellites.indices where used.contains(satellites[index].id) {
      satellites[index].isUsed = true
    }
  }

  /// Forgets everything but the storage.
  mutating func clear() {
    satellites.removeAll(keepingCapacity: true)
    timestamp = nil
    millisecondOfDay = nil
    horizontalDilution = nil
    verticalDilution = nil
    positionDilution = nil
  }
}
