import Glibc
import System

/// A status LED that is on or off. It does not blink, because blinking would wake the processor.
public final class StatusLight {
  /// The connection of the LED.
  public enum Wiring: Hashable, Sendable {
    /// An LED named in `/sys/class/leds`.
    case named(String)
    case line(LineWiring)
  }

  private enum Means {
    case files(trigger: String, brightness: String)
    case line(OutputLine)
  }

  private let means: Means

  /// Takes the LED over from its kernel trigger and switches it off.
  ///
  /// Throws the error of open(2) and write(2) for the files of the LED class (sysfs-class-led), or that of
  /// ``OutputLine``.
  public convenience init(_ wiring: Wiring) throws(SystemError) {
    try self.init(wiring, folder: "/sys/class/leds")
  }

  init(_ wiring: Wiring, folder: String) throws(SystemError) {
    switch wiring {
    case .named(let name):
      means = .files(
        trigger: "\(folder)/\(name)/trigger", brightness: "\(folder)/\(name)/brightness")
    case .line(let line): means = .line(try OutputLine(wiring: line, isActive: false))
    }
    if case .files(let trigger, _) = means { try Self.write("none", to: trigger) }
    try show(false)
  }

  public func show(_ isOn: Bool) throws(SystemError) {
    switch means {
    // The driver clamps the value to the LED's maximum brightness.
    case .files(_, let brightness): try Self.write(isOn ? "255" : "0", to: brightness)
    case .line(let line): try line.set(isOn)
    }
  }

  private static func write(_ text: String, to path: String) throws(SystemError) {
    let file = Descriptor(
      owning: try check("open", on: path, open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)))
    let bytes = Array(text.utf8)
    try check("write", on: path, Glibc.write(file.raw, bytes, bytes.count))
  }
}
