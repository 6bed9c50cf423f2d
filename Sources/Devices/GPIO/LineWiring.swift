import CGPIO
import Glibc
import SystemLoop

/// The GPIO line of a board that a signal is wired to, with its polarity and bias.
public struct LineWiring: Hashable, Sendable {
  /// The bias resistor of a line.
  public enum Bias: Hashable, Sendable { case none, pullUp, pullDown }

  /// Path of the chip's device, `/dev/gpiochipN`.
  public var chip: String
  /// Number of the line on the chip.
  public var line: UInt32
  /// True if the line is active at the low level.
  public var isActiveLow: Bool
  /// Bias resistor inside the chip.
  public var bias: Bias

  public init(chip: String, line: UInt32, isActiveLow: Bool = false, bias: Bias = .none) {
    self.chip = chip
    self.line = line
    self.isActiveLow = isActiveLow
    self.bias = bias
  }

  /// The line's name in messages.
  var subject: String { "\(chip) line \(line)" }

  /// Opens the chip without blocking: the path may name a pipe without a writer, or a modem without a
  /// carrier.
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
