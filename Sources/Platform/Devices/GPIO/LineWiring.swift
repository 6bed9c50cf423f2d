import CGPIO
import Glibc
import System

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

  /// Returns the name of the program or driver that uses the line; nil if it is free. Requests nothing.
  ///
  /// Throws the error of open(2) or `GPIO_V2_GET_LINEINFO`.
  public func consumer() throws(SystemError) -> String? {
    let chip = try openChip()
    var name = [CChar](repeating: 0, count: Int(GPIO_MAX_NAME_SIZE))
    guard try check("GPIO_V2_GET_LINEINFO", on: subject, outrider_gpio_consumer(chip.raw, line, &name)) == 1
    else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
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
