import Devices
import Doctor
import GNSSProtocol
import Glibc
import Quantities
import Settings
import System

/// Listens on the receiver's port for a short time. It sends no byte and restores the port's settings.
public enum PortListening {
  /// The baud rates that are tried if none is configured.
  private static let speeds: [UInt32] = [9600, 115_200, 38_400, 4800]

  /// Listens until valid frames arrive, at one baud rate after the other, at most until the deadline.
  public static func listen(
    _ path: String, speed: UInt32?, until deadline: Moment
  ) -> Fact<PortFacts.Listening> {
    let speeds = speed.map { [$0] } ?? Self.speeds
    let raw = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard raw >= 0 else { return .hidden("\(path): \(String(cString: strerror(errno)))") }
    let descriptor = Descriptor(owning: raw)
    var previous = termios()
    guard tcgetattr(descriptor.raw, &previous) == 0 else { return .hidden("\(path) is not a serial port") }
    defer { tcsetattr(descriptor.raw, TCSANOW, &previous) }
    let share = (deadline - SystemClock.moment()).wholeMilliseconds / Int64(speeds.count)
    var best: PortFacts.Listening?
    do throws(SystemError) {
      for speed in speeds {
        let end = min(SystemClock.moment() + .milliseconds(share), deadline)
        let received = try listen(path, at: speed, until: end)
        if received.frames > 0 { return .known(received) }
        if received.bytes > best?.bytes ?? -1 { best = received }
      }
    } catch {
      return .hidden("\(error)")
    }
    return best.map { .known($0) } ?? .absent
  }

  private static func listen(_ path: String, at speed: UInt32, until end: Moment) throws(SystemError)
    -> PortFacts.Listening
  {
    let port = try SerialPort(path: path, speed: speed, access: .readOnly)
    port.discardInput()
    var received = PortFacts.Listening(baud: Int(speed), bytes: 0, frames: 0)
    var decoder = ReceiverDecoder()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while received.frames < 3 {
      switch buffer.withUnsafeMutableBytes({ port.read(into: $0) }) {
      case .bytes(let count):
        received.bytes += count
        let now = SystemClock.moment()
        buffer.withUnsafeBytes {
          decoder.decode(UnsafeRawBufferPointer(rebasing: $0[..<count]), at: now) { _ in }
        }
        received.frames = Int(clamping: decoder.frames)
      case .gone(let error): throw error
      case .empty:
        let left = (end - SystemClock.moment()).wholeMilliseconds
        guard left > 0 else { return received }
        var waited = pollfd(fd: port.raw, events: Int16(POLLIN), revents: 0)
        poll(&waited, 1, Int32(clamping: left))
      }
      if SystemClock.moment() >= end { return received }
    }
    return received
  }
}
