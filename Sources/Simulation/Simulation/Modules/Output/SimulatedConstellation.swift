import GNSSProtocol

/// The satellites of a simulated module, at constant positions.
struct SimulatedConstellation: Sendable {
  /// A satellite with its direction and signal.
  struct Satellite: Sendable {
    var number: Int
    /// Elevation in degrees.
    var elevation: Int
    var azimuth: Int
    /// C/N0 in dBHz.
    var strength: Int
    var isUsed: Bool
  }

  var talker: String
  /// NMEA 4.11 system id.
  var id: Int
  /// UBX gnssId.
  var gnssId: UInt8
  var satellites: [Satellite]

  private init(_ talker: String, id: Int, gnssId: UInt8, _ rows: [(Int, Int, Int, Int)], used: Int) {
    self.talker = talker
    self.id = id
    self.gnssId = gnssId
    satellites = rows.enumerated().map { index, row in
      Satellite(number: row.0, elevation: row.1, azimuth: row.2, strength: row.3, isUsed: index < used)
    }
  }

  static let gps = SimulatedConstellation(
    "GP", id: 1, gnssId: 0,
    [
      (2, 64, 281, 46), (5, 22, 63, 38), (7, 41, 190, 43), (9, 55, 102, 45), (13, 17, 32, 36),
      (16, 35, 301, 41), (20, 12, 98, 33), (23, 9, 245, 30),
    ], used: 7)
  static let glonass = SimulatedConstellation(
    "GL", id: 2, gnssId: 6,
    [(66, 31, 315, 39), (67, 68, 21, 44), (76, 25, 148, 37), (77, 48, 208, 42), (82, 6, 12, 27)], used: 4)
}
