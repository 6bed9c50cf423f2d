/// Identifies a satellite by its system and its number in it.
public struct SatelliteID: Hashable, Sendable {
  public let system: SatelliteSystem
  /// Number within the system: GPS 1...32, SBAS 120...158, Galileo 1...36, BeiDou 1...63, QZSS 1...10,
  /// GLONASS slot 1...32, NavIC 1...18.
  public let number: UInt8

  /// Creates an id; nil for a number that does not exist in the system.
  public init?(_ system: SatelliteSystem, _ number: Int) {
    guard Self.numbers(of: system).contains(number) else { return nil }
    self.system = system
    self.number = UInt8(number)
  }

  /// Converts UBX `gnssId` and `svId`.
  init?(gnssID: UInt8, svID: UInt8) {
    guard let system = SatelliteSystem(rawValue: gnssID) else { return nil }
    self.init(system, Int(svID))
  }

  /// Converts the single number of UBX messages before NAV-SAT (u-blox 8 Receiver Description, "Satellite
  /// Numbering").
  init?(legacySvid svid: UInt8) {
    let number = Int(svid)
    switch number {
    case 1...32: self.init(.gps, number)
    case 33...64: self.init(.beidou, number - 27)
    case 65...96: self.init(.glonass, number - 64)
    case 120...158: self.init(.sbas, number)
    case 159...163: self.init(.beidou, number - 158)
    case 193...202: self.init(.qzss, number - 192)
    case 211...246: self.init(.galileo, number - 210)
    case _: return nil
    }
  }

  /// Converts a number in GSV or GSA. `system` is determined by the system id or the talker. It is nil if
  /// neither determines it (talker GN before NMEA 4.1): then the number alone decides.
  init?(printed number: Int, system: SatelliteSystem?) {
    switch number {
    case 1...32: self.init(system ?? .gps, number)
    case 33...64:
      switch system {
      case .beidou, .galileo: self.init(system ?? .beidou, number)
      case .gps, .sbas, .qzss, .glonass, .navic, nil: self.init(.sbas, number + 87)
      }
    case 65...96: self.init(.glonass, number - 64)
    case 120...158: self.init(.sbas, number)
    case 193...200: self.init(.qzss, number - 192)
    case 201...202:
      if system == .beidou { self.init(.beidou, number - 200) } else { self.init(.qzss, number - 192) }
    case 203...237: self.init(.beidou, number - 200)
    case 301...336: self.init(.galileo, number - 300)
    case 401...463: self.init(.beidou, number - 400)
    case _: return nil
    }
  }

  /// The number in gpsd: a range for each system.
  public var prn: Int {
    let number = Int(self.number)
    switch system {
    case .gps: return number
    case .sbas: return number <= 151 ? number - 87 : number
    case .galileo: return 300 + number
    case .beidou: return 400 + number
    case .qzss: return 192 + number
    case .glonass: return 64 + number
    case .navic: return 500 + number
    }
  }

  private static func numbers(of system: SatelliteSystem) -> ClosedRange<Int> {
    switch system {
    case .gps, .glonass: 1...32
    case .sbas: 120...158
    case .galileo: 1...36
    case .beidou: 1...63
    case .qzss: 1...10
    case .navic: 1...18
    }
  }
}

extension SatelliteSystem {
  /// Converts the system id of NMEA 4.1 and later (GSA field 18).
  init?(systemID: Int?) {
    switch systemID {
    case 1: self = .gps
    case 2: self = .glonass
    case 3: self = .galileo
    case 4: self = .beidou
    case 5: self = .qzss
    case 6: self = .navic
    case _: return nil
    }
  }

  init?(_ talker: Talker) {
    switch talker {
    case .gps: self = .gps
    case .glonass: self = .glonass
    case .galileo: self = .galileo
    case .beidou: self = .beidou
    case .qzss: self = .qzss
    case .navic: self = .navic
    case .combined, .integrated, .unlisted, .other: return nil
    }
  }
}
