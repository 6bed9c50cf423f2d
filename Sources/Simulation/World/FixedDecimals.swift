extension Double {
  /// With so many digits after the point; what is no number, or too large, is `null`.
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
