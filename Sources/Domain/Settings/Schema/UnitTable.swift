/// A table of units that converts numbers with a unit exactly to whole base units.
struct UnitTable: Sendable {
  /// A unit with its size.
  struct Unit: Sendable {
    let name: String
    /// The number of base units in this unit.
    let size: Int64
  }

  /// The units, largest first.
  let units: [Unit]

  /// The units of duration, in milliseconds.
  static let duration = UnitTable(units: [
    Unit(name: "d", size: 86_400_000), Unit(name: "h", size: 3_600_000), Unit(name: "m", size: 60_000),
    Unit(name: "s", size: 1000), Unit(name: "ms", size: 1),
  ])
  /// The units of distance, in millimetres.
  static let distance = UnitTable(units: [
    Unit(name: "km", size: 1_000_000), Unit(name: "m", size: 1000), Unit(name: "mm", size: 1),
  ])
  /// The units of size, in bytes.
  static let bytes = UnitTable(units: [
    Unit(name: "TiB", size: 1 << 40), Unit(name: "TB", size: 1_000_000_000_000),
    Unit(name: "GiB", size: 1 << 30), Unit(name: "GB", size: 1_000_000_000), Unit(name: "MiB", size: 1 << 20),
    Unit(name: "MB", size: 1_000_000), Unit(name: "KiB", size: 1 << 10), Unit(name: "kB", size: 1000),
    Unit(name: "B", size: 1),
  ])

  var names: String { units.reversed().map(\.name).joined(separator: ", ") }

  /// Reads `5m`, `1.5 km`, `512MB`: digits, an optional fraction, optional spaces, a unit.
  ///
  /// Returns nil for anything else, for a fraction of a base unit, and for a number that exceeds 64 bits.
  func value(of text: String) -> Int64? {
    let bytes = Array(text.utf8)
    var index = 0
    var mantissa: Int64 = 0
    var scale: Int64 = 1
    var digits = 0
    var isFraction = false
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "."), !isFraction, digits > 0 {
        isFraction = true
      } else if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
        guard let longer = mantissa.times(10)?.plus(Int64(bytes[index] &- UInt8(ascii: "0"))),
          let scaled = scale.times(isFraction ? 10 : 1)
        else { return nil }
        (mantissa, scale) = (longer, scaled)
        digits += 1
      } else {
        break
      }
      index += 1
    }
    guard digits > 0, bytes[index - 1] != UInt8(ascii: ".") else { return nil }
    while index < bytes.count, bytes[index] == UInt8(ascii: " ") { index += 1 }
    let name = String(decoding: bytes[index...], as: UTF8.self)
    guard let unit = units.first(where: { $0.name == name }), let product = mantissa.times(unit.size),
      product.isMultiple(of: scale)
    else { return nil }
    return product / scale
  }

  /// The shortest text of a count of base units as a whole number, which ``value(of:)`` can read.
  func text(of count: Int64) -> String {
    guard
      let unit = units.filter({ count.isMultiple(of: $0.size) }).min(by: { count / $0.size < count / $1.size }
      )
    else { return "\(count)" }
    // Zero is a whole number of any unit; the usual one follows the base unit.
    return count == 0 ? "0\(units[units.count - 2].name)" : "\(count / unit.size)\(unit.name)"
  }
}

extension Int64 {
  fileprivate func times(_ other: Int64) -> Int64? {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? nil : product
  }

  fileprivate func plus(_ other: Int64) -> Int64? {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? nil : sum
  }
}
