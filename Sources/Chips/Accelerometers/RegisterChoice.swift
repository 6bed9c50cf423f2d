/// One setting of a part that can be chosen: the value and how the register spells it.
struct RegisterChoice {
  let value: Double
  let code: UInt8

  init(_ value: Double, _ code: UInt8) { (self.value, self.code) = (value, code) }
}

extension [RegisterChoice] {
  /// The smallest value that is not below what is wished; the choices ascend.
  func next(upwardsFrom wish: Double, _ quantity: String, of address: I2CAddress)
    throws(ChipError) -> RegisterChoice
  {
    guard wish > 0, let choice = first(where: { $0.value >= wish }) else {
      throw .cannot(address, "\(quantity) of \(wish)")
    }
    return choice
  }
}
