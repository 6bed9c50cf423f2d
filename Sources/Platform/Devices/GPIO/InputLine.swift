import CGPIO
import EventLoop
import Glibc
import Quantities
import System

/// An input of the host: the interrupt line of a chip, the ignition, a button.
///
/// The kernel reports edges; nothing is polled.
public final class InputLine {
  /// A report about the line.
  public enum Report: Hashable, Sendable {
    /// One or more edges occurred; `isActive` is the present level.
    case level(isActive: Bool)
    /// The GPIO chip is gone, for example one on USB that was unplugged. No further reports follow.
    case gone
  }

  public let wiring: LineWiring
  private let loop: EventLoop
  private let descriptor: Descriptor
  private var registration: EventLoop.Registration?
  private let onReport: (Report, Moment) -> Void

  /// Requests the line. `debounce`, in whole milliseconds: shorter pulses are not reported.
  ///
  /// Throws the error of open(2) or `GPIO_V2_GET_LINE`: EBUSY if another program or driver has the line,
  /// EINVAL if the chip has no such line or no such bias resistor.
  public convenience init(
    loop: EventLoop, wiring: LineWiring, debounce: Duration = .zero,
    onReport: @escaping (Report, Moment) -> Void
  ) throws(SystemError) {
    let chip = try wiring.openChip()
    let microseconds = UInt32(clamping: debounce.wholeMilliseconds &* 1000)
    let descriptor = Descriptor(
      owning: try check(
        "GPIO_V2_GET_LINE", on: wiring.subject,
        outrider_gpio_input(chip.raw, wiring.line, "outrider", wiring.flags, microseconds)))
    try self.init(loop: loop, wiring: wiring, descriptor: descriptor, onReport: onReport)
  }

  /// Takes over `descriptor`, the file descriptor of a line request.
  init(
    loop: EventLoop, wiring: LineWiring, descriptor: consuming Descriptor,
    onReport: @escaping (Report, Moment) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.wiring = wiring
    self.descriptor = descriptor
    self.onReport = onReport
    let raw = self.descriptor.raw
    try check("F_SETFL", on: wiring.subject, fcntl(raw, F_SETFL, fcntl(raw, F_GETFL) | O_NONBLOCK))
    registration = try loop.watch(raw, for: .readable) { [unowned self] in edges($0) }
  }

  deinit { stop() }

  public func stop() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  /// The present level; nil if the chip does not answer.
  public var isActive: Bool? {
    switch outrider_gpio_get(descriptor.raw) {
    case 0: false
    case 1: true
    case _: nil
    }
  }

  private func edges(_ readiness: EventLoop.Readiness) {
    // Several edges are handled as one change: only the present level counts.
    var bytes = [UInt8](repeating: 0, count: 16 * MemoryLayout<gpio_v2_line_event>.size)
    while read(descriptor.raw, &bytes, bytes.count) == bytes.count {}
    // A chip that is gone reports a permanent hang-up; on some kernels only reading the level fails.
    guard !readiness.contains(.hangup), let isActive else {
      stop()
      return onReport(.gone, loop.now)
    }
    onReport(.level(isActive: isActive), loop.now)
  }
}
