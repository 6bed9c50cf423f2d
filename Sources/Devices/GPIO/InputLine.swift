import CGPIO
import Glibc
import Quantities
import SystemLoop

/// An input of the host: an interrupt line of a chip, the ignition, a button.
///
/// The kernel reports edges; nothing is polled.
public final class InputLine {
  public let wiring: LineWiring
  private let loop: EventLoop
  private let descriptor: Descriptor
  private var registration: EventLoop.Registration?
  /// Called after edges with the level that the line has then.
  private let onChange: (_ isActive: Bool, Moment) -> Void

  /// `debounce`, in whole milliseconds: shorter pulses are not reported.
  ///
  /// Throws what open(2) or `GPIO_V2_GET_LINE` say: EBUSY when another program or driver has the line, EINVAL when the
  /// chip has no such line or no such resistor.
  public init(
    loop: EventLoop, wiring: LineWiring, debounce: Duration = .zero,
    onChange: @escaping (_ isActive: Bool, Moment) -> Void
  ) throws(SystemError) {
    let subject = wiring.subject
    let chip = try wiring.openChip()
    let microseconds = UInt32(clamping: debounce.wholeMilliseconds &* 1000)
    descriptor = Descriptor(
      owning: try check(
        "GPIO_V2_GET_LINE", on: subject,
        outrider_gpio_input(chip.raw, wiring.line, "outrider", wiring.flags, microseconds)))
    self.loop = loop
    self.wiring = wiring
    self.onChange = onChange
    let flags = fcntl(descriptor.raw, F_GETFL)
    try check("F_SETFL", on: subject, fcntl(descriptor.raw, F_SETFL, flags | O_NONBLOCK))
    registration = try loop.watch(descriptor.raw, for: .readable) { [unowned self] _ in edges() }
  }

  deinit { stop() }

  public func stop() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  /// The level now; nil when the chip does not answer.
  public var isActive: Bool? {
    switch outrider_gpio_get(descriptor.raw) {
    case 0: false
    case 1: true
    case _: nil
    }
  }

  private func edges() {
    // Several edges are one change: what counts is how the line is now.
    var bytes = [UInt8](repeating: 0, count: 16 * MemoryLayout<gpio_v2_line_event>.size)
    while read(descriptor.raw, &bytes, bytes.count) == bytes.count {}
    guard let isActive else { return }
    onChange(isActive, loop.now)
  }
}
