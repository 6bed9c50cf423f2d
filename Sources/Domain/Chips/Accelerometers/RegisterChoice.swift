/// One possible value of a chip's setting, with its register code.
struct RegisterChoice {
  let value: Double
  let code: UInt8

  init(_ value: Double, _ code: UInt8) { (self.value, self.code) = (value, code) }
}

extension [RegisterChoice] {
  /// The smallest value that is not below the desired one; the choices are in ascending order.
  func next(upwardsFrom minimum: Double, _ quantity: String, of address: I2CAddress)
    throws(ChipError) -> RegisterChoice
  {
    guard minimum > 0, let choice = first(where: { $0.value >= minimum }) else {
      throw .cannot(address, "\(minimum) \(quantity)")
    }
    return choice
  }
}
