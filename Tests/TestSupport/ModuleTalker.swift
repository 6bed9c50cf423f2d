import CSerial
import Devices
import EventLoop
import Foundation
import Quantities
import Simulation
import System

/// A simulated module at the other end of a ``PseudoTerminal``, served by the loop under test. A
/// pseudo-terminal carries any bytes at any baud rate; the module simulates the effect of the host's setting.
public final class ModuleTalker {
  public var module: ReceiverModule
  public private(set) var terminal: PseudoTerminal
  /// The bytes sent by the host.
  public private(set) var received: [UInt8] = []
  private let loop: EventLoop
  private var start: Moment
  private var registration: EventLoop.Registration?
  private var timer: LoopTimer?

  public init(loop: EventLoop, _ model: ModuleModel, _ change: (inout ModuleOptions) -> Void = { _ in })
    throws
  {
    self.loop = loop
    start = loop.now
    var options = ModuleOptions()
    options.firstStart = .hot
    change(&options)
    module = ReceiverModule(model, options: options)
    terminal = try PseudoTerminal()
    timer = loop.addTimer("module") { [unowned self] _ in serve() }
    try attach()
    serve()
  }

  /// Switches the supply of the module.
  public func setSupply(_ isOn: Bool) {
    module.setSupply(isOn, now: now)
    serve()
  }

  /// Switches the reception of the antenna.
  public func setReception(_ isOpen: Bool) {
    module.setReception(isOpen, now: now)
    serve()
  }

  /// Unplugs the module and attaches it to another terminal.
  public func move() throws {
    if let registration { loop.remove(registration) }
    terminal = try PseudoTerminal()
    try attach()
    serve()
  }

  private func attach() throws {
    registration = try loop.watch(terminal.raw, for: .readable) { [unowned self] _ in serve() }
  }

  /// Time on the module's clock, zero when its supply came on.
  private var now: Moment {
    .zero + (loop.now - start) + (threadStart.map { SystemClock.moment() - $0 } ?? .zero)
  }
  /// The start of a thread, during which the module's time passes although a simulated clock stands still.
  private var threadStart: Moment?
  private var hostSpeed: UInt32 { UInt32(clamping: serial_speed(terminal.raw)) }

  private func serve() {
    exchange()
    timer?.arm(at: module.nextMoment.map { max(start + ($0 - .zero), loop.now + .milliseconds(2)) })
  }

  private func exchange() {
    let bytes = terminal.read()
    received += bytes
    module.receive(bytes, at: hostSpeed, now: now)
    // A simulated clock jumps to the host's next read, which must find all bytes.
    _ = terminal.writeThrough(module.transmit(until: now, to: hostSpeed))
  }

  /// Advances the module's clock by `time`.
  public func skip(_ time: Duration) {
    start = start - time
    serve()
  }

  /// Serves the module on a thread until stopped, for a host whose loop does not run. The talker must not be
  /// used otherwise meanwhile.
  public func answeringOnAThread() -> Answering {
    if loop.clock is SimulatedClock { threadStart = SystemClock.moment() }
    return Answering(terminal.raw) { [unowned self] in exchange() }
  }

  public final class Answering: @unchecked Sendable {
    private let lock = NSLock()
    private var isStopped = false
    private let end = DispatchSemaphore(value: 0)

    fileprivate init(_ descriptor: Int32, _ serve: @escaping () -> Void) {
      nonisolated(unsafe) let serve = serve
      Thread.detachNewThread { [self] in
        while !lock.withLock({ isStopped }) {
          serve()
          var line = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          poll(&line, 1, 2)
        }
        end.signal()
      }
    }

    public func stop() {
      lock.withLock { isStopped = true }
      end.wait()
    }
  }
}
