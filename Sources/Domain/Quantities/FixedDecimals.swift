extension Double {
  /// The number with this many decimals; `null` if it is not a number or too large.
  public func text(decimals: Int) -> String {
    var unit = 1.0
    for _ in 0..<decimals { unit *= 10 }
    guard let scaled = Int64(exactly: (self * unit).rounded()) else { return "null" }
    guard decimals > 0 else { return "\(scaled)" }
    let whole = scaled.magnitude / UInt64(unit)
    let part = String(scaled.magnitude % UInt64(unit))
    let zeros = String(repeating: "0", count: decimals - part.count)
    return "\(scaled < 0 ? "-" : "")\(whole).\(zeros)\(part)"
  }
}
