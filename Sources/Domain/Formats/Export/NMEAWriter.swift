import Quantities
import Records

/// Writes NMEA 0183 sentences as a receiver would: GGA and RMC for every location, and GST if its accuracy is known.
///
/// The first line is a comment, which says that the sentences are reconstructed. Minutes have six decimals, so that
/// positions are exact.
struct NMEAWriter: ExportWriter {
  func write(_ element: ExportElement, to text: inout [UInt8]) {
    switch element {
    case .start:
      text.append("# reconstructed from the log of Outrider; not the sentences that the receiver sent\r\n")
    case .point(let point):
      append("GNGGA", to: &text) { gga(point, to: &$0) }
      append("GNRMC", to: &text) { rmc(point, to: &$0) }
      if let accuracy = point.accuracy { append("GNGST", to: &text) { gst(point, accuracy, to: &$0) } }
    default: break
    }
  }

  private func append(_ name: StaticString, to text: inout [UInt8], _ fields: (inout [UInt8]) -> Void) {
    text.append("$")
    let start = text.count
    text.append(name)
    fields(&text)
    let sum = text[start...].reduce(0) { $0 ^ $1 }
    text.append("*")
    for digit in [sum >> 4, sum & 0xF] {
      text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
    }
    text.append("\r\n")
  }

  private func rmc(_ point: ExportPoint, to text: inout [UInt8]) {
    appendTime(point.time, to: &text)
    text.append(point.location.fixKind == .none ? ",V" : ",A")
    appendPosition(point.location.coordinate, to: &text)
    text.append(",")
    // 1 knot is 1852 m an hour.
    if let speed = point.speed { text.appendDecimal((speed * 3600 + 926) / 1852, decimals: 3) }
    text.append(",")
    if let course = point.course { text.appendDecimal(course, decimals: 3) }
    let date = point.time.date
    text.append(",")
    for part in [date.day, date.month, date.year % 100] { text.appendPadded(part, digits: 2) }
    text.append(",,,")
    text.append(point.location.fixKind == .none ? "N" : "A")
  }

  private func gga(_ point: ExportPoint, to text: inout [UInt8]) {
    appendTime(point.time, to: &text)
    appendPosition(point.location.coordinate, to: &text)
    let quality: StaticString =
      switch point.location.fixKind {
      case .none: ",0,"
      case .twoDimensional, .threeDimensional: ",1,"
      case .differential: ",2,"
      case .realTimeKinematicFixed: ",4,"
      case .realTimeKinematicFloat: ",5,"
      case .deadReckoning: ",6,"
      }
    text.append(quality)
    if let satellites = point.location.satellitesUsed { text.appendPadded(Int(satellites), digits: 2) }
    text.append(",")
    if let tenths = point.location.horizontalDilutionTenths { text.appendDecimal(Int64(tenths), decimals: 1) }
    text.append(",")
    if let altitude = point.location.altitudeMillimetres { text.appendDecimal(Int64(altitude), decimals: 3) }
    text.append(",M,,M,,")
  }

  private func gst(_ point: ExportPoint, _ accuracy: Int64, to text: inout [UInt8]) {
    appendTime(point.time, to: &text)
    text.append(",,,,,")
    // The horizontal accuracy is the root of the sum of both squares.
    let axis = Int64((Double(accuracy) * 0.5.squareRoot()).rounded())
    for _ in 0..<2 {
      text.appendDecimal(axis, decimals: 3)
      text.append(",")
    }
    if let vertical = point.location.verticalAccuracyMillimetres, vertical >= 0 {
      text.appendDecimal(Int64(vertical), decimals: 3)
    }
  }

  /// Appends a comma and the time of day.
  private func appendTime(_ time: Timestamp, to text: inout [UInt8]) {
    let ofDay = Int(time.millisecondOfDay)
    text.append(",")
    for part in [ofDay / 3_600_000, ofDay / 60_000 % 60, ofDay / 1000 % 60] {
      text.appendPadded(part, digits: 2)
    }
    text.append(".")
    text.appendPadded(ofDay % 1000, digits: 3)
  }

  /// Appends latitude and longitude as degrees and minutes, each after a comma.
  private func appendPosition(_ coordinate: Coordinate, to text: inout [UInt8]) {
    func append(_ value: Int32, digits: Int, _ positive: StaticString, _ negative: StaticString) {
      let (degrees, remainder) = value.magnitude.quotientAndRemainder(dividingBy: 10_000_000)
      // 1e-7 degrees are 6e-6 minutes.
      let (minutes, fraction) = (remainder * 6).quotientAndRemainder(dividingBy: 1_000_000)
      text.append(",")
      text.appendPadded(Int(degrees), digits: digits)
      text.appendPadded(Int(minutes), digits: 2)
      text.append(".")
      text.appendPadded(Int(fraction), digits: 6)
      text.append(",")
      text.append(value < 0 ? negative : positive)
    }
    append(coordinate.latitudeE7, digits: 2, "N", "S")
    append(coordinate.longitudeE7, digits: 3, "E", "W")
  }
}
