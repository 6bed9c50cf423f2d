import CGPIO
import Glibc
import SystemLoop

/// Where a line of the board is wired to, and how.
public struct LineWiring: Hashable, Sendable {
  public enum Bias: Hashable, Sendable { case none, pullUp, pullDown }

  /// `/dev/gpiochipN`.
  public var chip: String
  /// The line's number on the chip.
  public var line: UInt32
  /// Active at the low level.
  public var isActiveLow: Bool
  /// A resistor inside the chip.
  public var bias: Bias

  public init(chip: String, line: UInt32, isActiveLow: Bool = false, bias: Bias = .none) {
    self.chip = chip
    self.line = line
    self.isActiveLow = isActiveLow
    self.bias = bias
  }

  /// What messages call it.
  var subject: String { "\(chip) line \(line)" }

  /// Without waiting: what a path names may be a pipe without a writer, or a modem without a carrier.
  func openChip() throws(SystemError) -> Descriptor {
    Descriptor(
      owning: try check("open", on: chip, open(chip, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)))
  }

  var flags: UInt32 {
    let level = isActiveLow ? outrider_gpio_active_low.rawValue : 0
    return switch bias {
    case .none: level
    case .pullUp: level | outrider_gpio_pull_up.rawValue
    case .pullDown: level | outrider_gpio_pull_down.rawValue
    }
  }
}
