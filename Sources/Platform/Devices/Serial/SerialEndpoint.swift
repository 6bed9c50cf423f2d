import EventLoop
import Glibc
import Quantities
import System

/// The port of a receiver: opened by its path, reopened with a growing back-off after a loss, and written to without waiting.
///
/// Belongs to the thread of its loop.
final class SerialEndpoint {
  /// Handlers, set before ``open(at:)``.
  struct Outputs {
    /// Bytes can be read or written, or the line was hung up.
    var ready: (EventLoop.Readiness) -> Void = { _ in }
    /// The port failed; the handler calls ``close()`` and ``retryLater(now:)``.
    var failed: (SystemError, Moment) -> Void = { _, _ in }
    /// All bytes have left the line, as ``awaitDrain(now:)`` requested.
    var drained: (Moment) -> Void = { _ in }
    /// It is time to open the port again.
    var reopen: (Moment) -> Void = { _ in }
  }

  /// The port while it is open.
  private struct OpenPort {
    let port: SerialPort
    let registration: EventLoop.Registration
    var interest: EventLoop.Interest
    var speed: UInt32
  }

  /// Delay between closing and reopening the port on request.
  private static let pauseToReopen = Duration.milliseconds(100)
  /// Milliseconds that a partly written command may take to leave when the port is closed permanently.
  private static let finalWriteTimeout: Int32 = 200

  let path: String
  private let loop: EventLoop
  private let access: SerialPort.Access
  var outputs = Outputs()
  private var current: OpenPort?
  /// True if the port disappeared unexpectedly.
  private(set) var isLost = false
  private var reopening = ReopenSchedule()
  private var output = LineOutput()
  private var isDrainAwaited = false
  private var outputTimer: LoopTimer?
  private var reopenTimer: LoopTimer?

  init(loop: EventLoop, path: String, access: SerialPort.Access) {
    self.loop = loop
    self.path = path
    self.access = access
    outputTimer = loop.addTimer("line output") { [unowned self] now in checkOutput(now: now) }
    reopenTimer = loop.addTimer("port reopen") { [unowned self] now in outputs.reopen(now) }
  }

  /// Closes the port permanently.
  func stop() {
    close()
    for timer in [outputTimer, reopenTimer] {
      if let timer { loop.removeTimer(timer) }
    }
  }

  // MARK: The port

  var isOpen: Bool { current != nil }
  /// The descriptor of the open port; nil while it is closed.
  var raw: Int32? { current?.port.raw }
  /// True if the open port has a baud rate.
  var hasSpeed: Bool { current?.port.hasSpeed ?? false }
  /// The baud rate of the open port; nil without one.
  var speed: UInt32? { current.flatMap { $0.port.hasSpeed ? $0.speed : nil } }
  /// True while bytes are left unread on purpose.
  private var isLeftAlone: Bool { current.map { !$0.interest.contains(.readable) } ?? false }

  /// Opens the port at a baud rate.
  func open(at speed: UInt32) throws(SystemError) {
    let port = try SerialPort(path: path, speed: speed, access: access)
    let registration = try loop.watch(port.raw, for: .readable) { [unowned self] in outputs.ready($0) }
    current = OpenPort(port: port, registration: registration, interest: .readable, speed: speed)
    isLost = false
  }

  /// Closes the port. Waiting output is discarded.
  func close() {
    guard let current else { return }
    loop.remove(current.registration)
    if !output.isEmpty { current.port.discardOutput() }
    self.current = nil
    output = LineOutput()
    isDrainAwaited = false
    outputTimer?.arm(at: nil)
  }

  /// Notes the loss of the port, and arranges its reopening after the back-off.
  func retryLater(now: Moment) {
    isLost = true
    let pause = reopening.next(now: now)
    reopenTimer?.arm(within: WakeWindow(after: pause, now: now))
  }

  /// Arranges the reopening of a port that was closed on request.
  func reopenSoon(now: Moment) { reopenTimer?.arm(at: now + Self.pauseToReopen) }

  /// Changes the baud rate and discards what arrived at the previous one. Returns false if it is set already, or after a
  /// failure.
  func setSpeed(_ speed: UInt32, now: Moment) -> Bool {
    guard let port = current?.port, current?.speed != speed else { return false }
    do {
      try port.setSpeed(speed)
    } catch {
      outputs.failed(error, now)
      return false
    }
    current?.speed = speed
    port.discardInput()
    return true
  }

  /// Sets the events to wait for: bytes unless reading is deferred, room while output waits.
  func adjustInterest(isLeftAlone: Bool, now: Moment) {
    guard let current else { return }
    var interest: EventLoop.Interest = isLeftAlone ? [] : .readable
    if !output.isEmpty { interest.insert(.writable) }
    guard interest != current.interest else { return }
    do {
      try loop.change(current.registration, to: interest)
      self.current?.interest = interest
    } catch {
      outputs.failed(error, now)
    }
  }

  /// Reads the bytes that have arrived; nil while the port is closed.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> SerialPort.Reading? {
    current?.port.read(into: buffer)
  }

  /// Notes that data arrived, which proves the connection.
  func received(now: Moment) { reopening.received(now: now) }

  // MARK: Writing

  /// True while bytes wait to be written.
  var hasOutput: Bool { !output.isEmpty }

  /// Writes a command as the line permits. A line that accepts nothing for long counts as failed.
  func write(_ bytes: [UInt8], now: Moment) {
    guard isOpen else { return }
    guard output.add(bytes, now: now) else { return giveUpOutput(now: now) }
    flush(now: now)
  }

  /// Writes what the line accepts now.
  func flush(now: Moment) {
    while let port = current?.port, let bytes = output.next {
      switch port.write(bytes) {
      case .bytes(let count): output.wrote(count, speed: speed, now: now)
      case .full:
        armOutput(now: now)
        return adjustInterest(isLeftAlone: isLeftAlone, now: now)
      case .gone(let error): return outputs.failed(error, now)
      }
    }
    armOutput(now: now)
    adjustInterest(isLeftAlone: isLeftAlone, now: now)
  }

  /// Requests a call of ``Outputs/drained``.
  func awaitDrain(now: Moment) {
    isDrainAwaited = true
    armOutput(now: now)
  }

  private func checkOutput(now: Moment) {
    if let hungAt = output.hungAt, now >= hungAt { return giveUpOutput(now: now) }
    armOutput(now: now)
  }

  /// Arms the output timer: for the end of the transmission, or for the time at which the line counts as hung.
  private func armOutput(now: Moment) {
    guard let port = current?.port else { return }
    if let hungAt = output.hungAt {
      outputTimer?.arm(at: hungAt)
    } else if isDrainAwaited {
      if let next = output.drained(unsent: port.unsentBytes, speed: speed, now: now) {
        outputTimer?.arm(at: next)
      } else {
        outputTimer?.arm(at: nil)
        isDrainAwaited = false
        outputs.drained(now)
      }
    } else {
      outputTimer?.arm(at: nil)
    }
  }

  private func giveUpOutput(now: Moment) {
    outputs.failed(SystemError(call: "write", subject: path, number: ETIMEDOUT), now)
  }

  /// Sends the rest of a partly written command, and no other; waits a short time for a full line.
  func finishOutput(now: Moment) {
    output.dropUnbegun()
    guard !output.isEmpty, let port = current?.port else { return }
    var room = pollfd(fd: port.raw, events: Int16(POLLOUT), revents: 0)
    if poll(&room, 1, Self.finalWriteTimeout) > 0 { flush(now: now) }
  }
}
