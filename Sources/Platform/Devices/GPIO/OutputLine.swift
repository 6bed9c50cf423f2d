import CGPIO
import Glibc
import System

/// An output of the host: a receiver's enable line, an LED. The level is held for the lifetime of the object.
public final class OutputLine {
  public let wiring: LineWiring
  private let descriptor: Descriptor

  /// Requests the line and sets its first level.
  ///
  /// Throws the error of open(2) or `GPIO_V2_GET_LINE`: EBUSY if another program or driver has the line.
  public init(wiring: LineWiring, isActive: Bool) throws(SystemError) {
    let chip = try wiring.openChip()
    descriptor = Descriptor(
      owning: try check(
        "GPIO_V2_GET_LINE", on: wiring.subject,
        outrider_gpio_output(chip.raw, wiring.line, "outrider", wiring.flags, isActive ? 1 : 0)))
    self.wiring = wiring
  }

  public func set(_ isActive: Bool) throws(SystemError) {
    try check(
      "GPIO_V2_LINE_SET_VALUES", on: wiring.subject, outrider_gpio_set(descriptor.raw, isActive ? 1 : 0))
  }
}
