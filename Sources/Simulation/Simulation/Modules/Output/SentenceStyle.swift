import GNSSProtocol
import Quantities

/// A standard sentence, named as in NMEA 0183.
enum SentenceKind: String, Sendable, CaseIterable {
  case gga = "GGA"
  case gll = "GLL"
  case gsa = "GSA"
  case gsv = "GSV"
  case rmc = "RMC"
  case vtg = "VTG"
  case gst = "GST"
  case zda = "ZDA"
  case gns = "GNS"
}

/// The sentence format of a family: version of NMEA 0183, talker, decimals.
struct SentenceStyle: Sendable {
  /// The version of NMEA 0183.
  enum Version: UInt8, Comparable, Sendable {
    /// Without mode fields.
    case v21
    /// With mode fields.
    case v23
    /// With navigational status, system and signal ids.
    case v41

    static func < (a: Version, b: Version) -> Bool { a.rawValue < b.rawValue }
  }

  var talker = "GN"
  var version = Version.v23
  var clockDecimals = 2
  var minuteDecimals = 5
  /// Fills the position fields with the last known position while the status is V.
  var repeatsOldPosition = false

  /// The sentences of one kind, without framing.
  func bodies(_ kind: SentenceKind, _ epoch: ModuleEpoch) -> [String] {
    switch kind {
    case .gga: [gga(epoch)]
    case .gll: ["\(talker)GLL,\(coordinates(epoch)),\(clock(epoch)),\(status(epoch))\(mode(epoch))"]
    case .gsa: gsa(epoch)
    case .gsv: gsv(epoch)
    case .rmc: [rmc(epoch)]
    case .vtg: [vtg(epoch)]
    case .gst: [gst(epoch)]
    case .zda: ["\(talker)ZDA,\(clock(epoch)),\(zdaDate(epoch)),00,00"]
    case .gns: [gns(epoch)]
    }
  }

  private func status(_ epoch: ModuleEpoch) -> String { epoch.fix == nil ? "V" : "A" }

  private func mode(_ epoch: ModuleEpoch) -> String {
    version < .v23 ? "" : epoch.fix == nil ? ",N" : ",A"
  }

  func clock(_ epoch: ModuleEpoch) -> String {
    guard epoch.knowsTime else { return "" }
    let ofDay = Int(epoch.time.millisecondOfDay)
    let minutes = ModuleText.padded(ofDay / 3_600_000, 2) + ModuleText.padded(ofDay / 60_000 % 60, 2)
    // Truncated, not rounded, to prevent a second 60.
    var unit = 1000
    for _ in 0..<min(clockDecimals, 3) { unit /= 10 }
    return minutes
      + ModuleText.decimal(Double(ofDay % 60_000 / unit * unit) / 1000, clockDecimals, digits: 2)
  }

  func coordinates(_ epoch: ModuleEpoch) -> String {
    let old = repeatsOldPosition ? epoch.oldPosition : nil
    guard
      let coordinates = epoch.fix.map({ ($0.latitude, $0.longitude) })
        ?? old.map({ ($0.latitude, $0.longitude) })
    else { return ",,," }
    return ModuleText.angle(coordinates.0, degrees: 2, places: minuteDecimals, ("N", "S")) + ","
      + ModuleText.angle(coordinates.1, degrees: 3, places: minuteDecimals, ("E", "W"))
  }

  private func rmc(_ epoch: ModuleEpoch) -> String {
    let date = epoch.knowsDate ? epoch.time.date : nil
    let day =
      date.map {
        "\(ModuleText.padded($0.day, 2))\(ModuleText.padded($0.month, 2))\(ModuleText.padded($0.year % 100, 2))"
      }
      ?? ""
    let speed = epoch.fix.map { ModuleText.decimal($0.speed * 3600 / 1852, 3) } ?? ""
    return
      "\(talker)RMC,\(clock(epoch)),\(status(epoch)),\(coordinates(epoch)),\(speed),\(course(epoch)),\(day),,"
      + mode(epoch) + (version < .v41 ? "" : ",V")
  }

  private func course(_ epoch: ModuleEpoch) -> String {
    epoch.fix.flatMap(\.course).map { ModuleText.decimal($0, 2) } ?? ""
  }

  private func vtg(_ epoch: ModuleEpoch) -> String {
    guard let fix = epoch.fix else { return "\(talker)VTG,,,,,,,,\(version < .v23 ? "" : ",N")" }
    let knots = ModuleText.decimal(fix.speed * 3600 / 1852, 3)
    return
      "\(talker)VTG,\(course(epoch)),T,,M,\(knots),N,\(ModuleText.decimal(fix.speed * 3.6, 3)),K\(mode(epoch))"
  }

  private func gga(_ epoch: ModuleEpoch) -> String {
    guard let fix = epoch.fix else {
      return "\(talker)GGA,\(clock(epoch)),\(coordinates(epoch)),0,00,99.99,,,,,,"
    }
    return "\(talker)GGA,\(clock(epoch)),\(coordinates(epoch)),1,\(ModuleText.padded(fix.satellites, 2)),"
      + "\(ModuleText.decimal(fix.horizontalDilution, 2)),\(ModuleText.decimal(fix.altitude, 1)),M,"
      + "\(ModuleText.decimal(ModuleEpoch.geoidSeparation, 1)),M,,"
  }

  private func gns(_ epoch: ModuleEpoch) -> String {
    let tail = version < .v41 ? ",," : ",,,V"
    guard let fix = epoch.fix else { return "\(talker)GNS,\(clock(epoch)),,,,,NN,00,99.99,,\(tail)" }
    return "\(talker)GNS,\(clock(epoch)),\(coordinates(epoch)),AA,\(ModuleText.padded(fix.satellites, 2)),"
      + "\(ModuleText.decimal(fix.horizontalDilution, 2)),\(ModuleText.decimal(fix.altitude, 1)),"
      + "\(ModuleText.decimal(ModuleEpoch.geoidSeparation, 1))\(tail)"
  }

  private func gst(_ epoch: ModuleEpoch) -> String {
    guard let fix = epoch.fix else { return "\(talker)GST,\(clock(epoch)),,,,,,," }
    let sigmas = [fix.sigma.north, fix.sigma.east, fix.sigma.up].map { ModuleText.decimal($0, 1) }
    return "\(talker)GST,\(clock(epoch)),22,,,,\(sigmas.joined(separator: ","))"
  }

  private func zdaDate(_ epoch: ModuleEpoch) -> String {
    guard epoch.knowsDate else { return ",," }
    let date = epoch.time.date
    return
      "\(ModuleText.padded(date.day, 2)),\(ModuleText.padded(date.month, 2)),\(ModuleText.padded(date.year, 4))"
  }

  private func gsa(_ epoch: ModuleEpoch) -> [String] {
    let systems =
      talker == "GP" ? Array(epoch.systems.prefix(1)) : epoch.systems
    return systems.map { system in
      let used = epoch.fix == nil ? [] : system.satellites.filter(\.isUsed)
      let numbers = (0..<12).map { $0 < used.count ? ModuleText.padded(used[$0].number, 2) : "" }
      let dilution = epoch.fix?.horizontalDilution ?? 99.99
      let scales = epoch.fix == nil ? [1.0, 1, 1] : [1.7, 1, 1.4]
      let dilutions = scales.map { ModuleText.decimal(dilution * $0, 2) }.joined(separator: ",")
      return "\(talker)GSA,A,\(epoch.fix == nil ? 1 : 3),\(numbers.joined(separator: ",")),\(dilutions)"
        + (version < .v41 ? "" : ",\(system.id)")
    }
  }

  private func gsv(_ epoch: ModuleEpoch) -> [String] {
    let systems =
      talker == "GP" ? Array(epoch.systems.prefix(1)) : epoch.systems
    return systems.flatMap { system -> [String] in
      let signal = version < .v41 ? "" : ",1"
      guard epoch.knowsTime else { return ["\(system.talker)GSV,1,1,00\(signal)"] }
      let all = system.satellites
      let count = (all.count + 3) / 4
      return (0..<count).map { index in
        let group = all.dropFirst(index * 4).prefix(4).map { satellite in
          ",\(ModuleText.padded(satellite.number, 2)),\(ModuleText.padded(satellite.elevation, 2)),"
            + "\(ModuleText.padded(satellite.azimuth, 3)),"
            + (epoch.fix == nil && !satellite.isUsed ? "" : ModuleText.padded(satellite.strength, 2))
        }
        return
          "\(system.talker)GSV,\(count),\(index + 1),\(ModuleText.padded(all.count, 2))\(group.joined())\(signal)"
      }
    }
  }
}
