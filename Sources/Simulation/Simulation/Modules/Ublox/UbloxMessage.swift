import GNSSProtocol
import Glibc
import Quantities

/// The messages of class NAV that a virtual u-blox sends, in their order within an epoch.
enum UbloxMessage: UInt8, Sendable, CaseIterable {
  case posllh = 0x02
  case status = 0x03
  case dop = 0x04
  case sol = 0x06
  case pvt = 0x07
  case velned = 0x12
  case timeutc = 0x21
  case sat = 0x35
  case eoe = 0x61

  func exists(in generation: UbloxGeneration) -> Bool {
    switch self {
    case .posllh, .status, .dop, .velned, .timeutc: true
    case .sol: generation <= .eight
    case .pvt: generation >= .seven
    case .sat, .eoe: generation >= .eight
    }
  }

  func frame(_ epoch: ModuleEpoch, _ generation: UbloxGeneration) -> [UInt8] {
    let now = Solution(epoch)
    let payload =
      switch self {
      case .posllh: now.posllh
      case .status: now.status
      case .dop: now.dop
      case .sol: now.sol
      case .pvt: Array(now.pvt.prefix(generation.positionVelocityTimeLength))
      case .velned: now.velned
      case .timeutc: now.timeutc
      case .sat: now.sat
      case .eoe: now.timeOfWeek
      }
    return ModuleFrame.ubx(0x01, rawValue, payload)
  }
}

/// One epoch in the units of UBX.
private struct Solution {
  let epoch: ModuleEpoch
  let position: NavigationMemory.Position
  let north: Double
  let east: Double
  /// Altitude in mm.
  let altitude: Double
  let horizontalAccuracy: UInt32
  let verticalAccuracy: UInt32

  init(_ epoch: ModuleEpoch) {
    self.epoch = epoch
    let fix = epoch.fix
    position =
      fix.map { .init(latitude: $0.latitude, longitude: $0.longitude) } ?? epoch.oldPosition
      ?? .init(latitude: 0, longitude: 0)
    (north, east) = fix?.velocity ?? (0, 0)
    altitude = (fix?.altitude ?? 0) * 1000
    // Combined error of both axes.
    let sigma = fix.map { ($0.sigma.north * $0.sigma.north + $0.sigma.east * $0.sigma.east).squareRoot() }
    horizontalAccuracy = sigma.map { UInt32(clamping: Int(($0 * 1000).rounded())) } ?? .max
    verticalAccuracy = fix.map { UInt32(clamping: Int(($0.sigma.up * 1000).rounded())) } ?? .max
  }

  private func integer(_ value: Double) -> Int32 {
    Int32(clamping: Int(exactly: value.rounded()) ?? 0)
  }

  /// The time in milliseconds of GPS. GPS is 18 s ahead of universal time since 2017; its weeks begin on Sunday, the
  /// first on 1980-01-06.
  private var gpsMilliseconds: Int64 { epoch.time.milliseconds &- 315_964_800_000 &+ 18_000 }
  private static let week: Int64 = 604_800_000

  var timeOfWeek: [UInt8] {
    let remainder = gpsMilliseconds % Self.week
    var bytes: [UInt8] = []
    bytes.append(little: UInt32(truncatingIfNeeded: remainder < 0 ? remainder + Self.week : remainder))
    return bytes
  }

  /// The calendar fields: year, month, day, hour, minute, second.
  private var calendar: [UInt8] {
    let date = epoch.time.date
    let ofDay = epoch.time.millisecondOfDay
    var bytes: [UInt8] = []
    bytes.append(little: UInt16(clamping: date.year))
    for part in [
      Int64(date.month), Int64(date.day), ofDay / 3_600_000, ofDay / 60_000 % 60, ofDay / 1000 % 60,
    ] {
      bytes.append(UInt8(truncatingIfNeeded: part))
    }
    return bytes
  }

  private var nanoseconds: Int32 { Int32(epoch.time.millisecondOfDay % 1000) * 1_000_000 }
  private var timeAccuracy: UInt32 { epoch.fix == nil ? .max : 25 }
  private var used: UInt8 { UInt8(clamping: epoch.fix?.satellites ?? 0) }
  private var dilution: Double { epoch.fix?.horizontalDilution ?? 99.99 }
  private func hundredth(_ value: Double) -> UInt16 {
    UInt16(clamping: Int((min(value, 99.99) * 100).rounded()))
  }

  var pvt: [UInt8] {
    var bytes = timeOfWeek + calendar
    bytes.append((epoch.knowsDate ? 1 : 0) | (epoch.knowsTime ? 2 : 0) | (epoch.fix == nil ? 0 : 4))
    bytes.append(little: timeAccuracy)
    bytes.append(little: nanoseconds)
    bytes += epoch.fix == nil ? [0, 0] : [3, 1]
    bytes += [epoch.knowsTime ? 0xE0 : 0x20, used]
    bytes += positionFields
    for value in [north, east, 0] { bytes.append(little: integer(value * 1000)) }
    bytes.append(little: integer((epoch.fix?.speed ?? 0) * 1000))
    bytes.append(little: integer((epoch.fix?.course ?? 0) * 1e5))
    bytes.append(little: UInt32(epoch.fix == nil ? 20_000 : 120))
    bytes.append(little: UInt32(epoch.fix?.course == nil ? 18_000_000 : 150_000))
    bytes.append(little: hundredth(dilution * 1.7))
    bytes.append(little: UInt16(epoch.fix == nil ? 1 : 0))
    return bytes + [UInt8](repeating: 0, count: 12)
  }

  /// The position fields: longitude, latitude, both heights, both accuracies.
  private var positionFields: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(little: integer(position.longitude * 1e7))
    bytes.append(little: integer(position.latitude * 1e7))
    bytes.append(little: integer(altitude + ModuleEpoch.geoidSeparation * 1000))
    bytes.append(little: integer(altitude))
    bytes.append(little: horizontalAccuracy)
    bytes.append(little: verticalAccuracy)
    return bytes
  }

  var posllh: [UInt8] { timeOfWeek + positionFields }

  var velned: [UInt8] {
    var bytes = timeOfWeek
    let speed = epoch.fix?.speed ?? 0
    for value in [north, east, 0, speed, speed] { bytes.append(little: integer(value * 100)) }
    bytes.append(little: integer((epoch.fix?.course ?? 0) * 1e5))
    bytes.append(little: UInt32(epoch.fix == nil ? 2000 : 12))
    bytes.append(little: UInt32(epoch.fix?.course == nil ? 18_000_000 : 150_000))
    return bytes
  }

  var timeutc: [UInt8] {
    var bytes = timeOfWeek
    bytes.append(little: timeAccuracy)
    bytes.append(little: nanoseconds)
    bytes += calendar
    bytes.append((epoch.knowsTime ? 1 : 0) | (epoch.knowsDate ? 2 : 0) | (epoch.fix == nil ? 0 : 4))
    return bytes
  }

  var status: [UInt8] {
    var bytes = timeOfWeek + [epoch.fix == nil ? 0 : 3]
    bytes.append((epoch.fix == nil ? 0 : 1) | (epoch.knowsDate ? 4 : 0) | (epoch.knowsTime ? 8 : 0))
    bytes += [0, 0]
    bytes.append(little: UInt32(clamping: epoch.timeToFix?.wholeMilliseconds ?? 0))
    bytes.append(little: UInt32(clamping: epoch.sinceStart.wholeMilliseconds))
    return bytes
  }

  var dop: [UInt8] {
    var bytes = timeOfWeek
    for scale in [1.9, 1.7, 0.9, 1.4, 1, 0.7, 0.7] { bytes.append(little: hundredth(dilution * scale)) }
    return bytes
  }

  /// The NAV-SOL message, in centimetres from the centre of the Earth (WGS 84).
  var sol: [UInt8] {
    let latitude = position.latitude * .pi / 180
    let longitude = position.longitude * .pi / 180
    let eccentricity = 0.006_694_379_990_14
    let normal = 6_378_137 / (1 - eccentricity * sin(latitude) * sin(latitude)).squareRoot()
    let height = altitude / 1000 + ModuleEpoch.geoidSeparation
    let axis = (normal + height) * cos(latitude)
    let cartesian = [
      axis * cos(longitude), axis * sin(longitude), (normal * (1 - eccentricity) + height) * sin(latitude),
    ]
    let velocity = [
      -sin(latitude) * cos(longitude) * north - sin(longitude) * east,
      -sin(latitude) * sin(longitude) * north + cos(longitude) * east, cos(latitude) * north,
    ]
    let accuracy =
      (Double(horizontalAccuracy) * Double(horizontalAccuracy) + Double(verticalAccuracy)
      * Double(verticalAccuracy)).squareRoot() / 10
    var bytes = timeOfWeek
    bytes.append(little: Int32(0))
    bytes.append(little: Int16(truncatingIfNeeded: gpsMilliseconds / Self.week))
    bytes += epoch.fix == nil ? [0, 0] : [3, 0x0D]
    for value in cartesian { bytes.append(little: integer(value * 100)) }
    bytes.append(little: UInt32(clamping: Int(accuracy)))
    for value in velocity { bytes.append(little: integer(value * 100)) }
    bytes.append(little: UInt32(epoch.fix == nil ? 2000 : 12))
    bytes.append(little: hundredth(dilution * 1.7))
    return bytes + [0, used, 0, 0, 0, 0]
  }

  var sat: [UInt8] {
    let systems = epoch.systems
    var bytes = timeOfWeek + [1, UInt8(clamping: systems.reduce(0) { $0 + $1.satellites.count }), 0, 0]
    for system in systems {
      for satellite in system.satellites {
        let isUsed = epoch.fix != nil && satellite.isUsed
        let number = system.gnssId == 6 ? satellite.number - 64 : satellite.number
        bytes += [system.gnssId, UInt8(clamping: number), UInt8(clamping: satellite.strength)]
        bytes.append(UInt8(bitPattern: Int8(clamping: satellite.elevation)))
        bytes.append(little: Int16(clamping: satellite.azimuth))
        bytes.append(little: Int16(0))
        bytes.append(little: UInt32(isUsed ? 0x0F : 0x04))
      }
    }
    return bytes
  }
}
