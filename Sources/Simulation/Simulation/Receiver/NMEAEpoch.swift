import Quantities

/// One epoch of a receiver as NMEA 0183 4.10 sentences.
struct NMEAEpoch {
  var time: Timestamp
  /// Degrees.
  var latitude: Double
  var longitude: Double
  /// Altitude in metres above mean sea level.
  var altitude: Double
  /// Speed in m/s.
  var speed: Double
  /// Degrees; nil when stationary.
  var course: Double?
  var satellites: Int
  var horizontalDilution: Double
  /// Metres, one sigma: north, east, up.
  var sigma: (north: Double, east: Double, up: Double)

  private static let geoidSeparation = 39.5
  private static let metresPerSecondToKnots = 3600 / 1852.0

  /// The sentences RMC, VTG, GGA, GSA and GST, with checksums and line ends.
  var sentences: [UInt8] {
    let clock = clockText
    let position =
      "\(angle(latitude, degrees: 2)),\(latitude < 0 ? "S" : "N"),"
      + "\(angle(longitude, degrees: 3)),\(longitude < 0 ? "W" : "E")"
    let knots = decimal(speed * Self.metresPerSecondToKnots, places: 3)
    let track = course.map { decimal($0, places: 2) } ?? ""
    let used = satellites < 10 ? "0\(satellites)" : "\(satellites)"
    let dilution = decimal(horizontalDilution, places: 2)
    let dilutions =
      "\(decimal(horizontalDilution * 1.7, places: 2)),\(dilution),"
      + decimal(horizontalDilution * 1.4, places: 2)
    let bodies = [
      "GNRMC,\(clock),A,\(position),\(knots),\(track),\(dateText),,,A,V",
      "GNVTG,\(track),T,,M,\(knots),N,\(decimal(speed * 3.6, places: 3)),K,A",
      "GNGGA,\(clock),\(position),1,\(used),\(dilution),\(decimal(altitude, places: 1)),M,"
        + "\(decimal(Self.geoidSeparation, places: 1)),M,,",
      "GNGSA,A,3,02,05,07,09,13,16,20,23,26,27,30,,\(dilutions),1",
      "GNGST,\(clock),22,,,,\(decimal(sigma.north, places: 1)),\(decimal(sigma.east, places: 1)),"
        + decimal(sigma.up, places: 1),
    ]
    return bodies.flatMap(Self.framed)
  }

  /// The sentence with its checksum and line end.
  static func framed(_ body: String) -> [UInt8] {
    let checksum = body.utf8.reduce(0, ^)
    let digits = String(checksum, radix: 16, uppercase: true)
    return Array("$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n".utf8)
  }

  private var clockText: String {
    let ofDay = Int(time.millisecondOfDay)
    return Self.text { text in
      text.appendPadded(ofDay / 3_600_000, digits: 2)
      text.appendPadded(ofDay / 60_000 % 60, digits: 2)
      text.appendPadded(ofDay / 1000 % 60, digits: 2)
      text.append(UInt8(ascii: "."))
      text.appendPadded(ofDay % 1000 / 10, digits: 2)
    }
  }

  private var dateText: String {
    let date = time.date
    return Self.text { text in
      for part in [date.day, date.month, date.year % 100] { text.appendPadded(part, digits: 2) }
    }
  }

  /// Formats an angle as degrees and minutes with five decimals (1.9 cm), `degrees` digits wide.
  private func angle(_ value: Double, degrees: Int) -> String {
    let minutes = Int((value.magnitude * 60 * 100_000).rounded())
    return Self.text { text in
      text.appendPadded(minutes / 6_000_000, digits: degrees)
      text.appendPadded(minutes / 100_000 % 60, digits: 2)
      text.append(UInt8(ascii: "."))
      text.appendPadded(minutes % 100_000, digits: 5)
    }
  }

  private func decimal(_ value: Double, places: Int) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = Int((value.magnitude * scale).rounded())
    return Self.text { text in
      if value < 0, scaled > 0 { text.append(UInt8(ascii: "-")) }
      text.appendPadded(scaled / Int(scale), digits: 1)
      text.append(UInt8(ascii: "."))
      text.appendPadded(scaled % Int(scale), digits: places)
    }
  }

  private static func text(_ write: (inout [UInt8]) -> Void) -> String {
    var bytes: [UInt8] = []
    write(&bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
