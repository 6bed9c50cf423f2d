import Devices
import EventLoop
import Quantities
import Simulation
import System

/// A simulated u-blox 10 at the other end of a pseudo-terminal, in a car that follows a schedule.
final class DemoReceiver {
  /// The times of its starts, shorter than those of a real receiver.
  private static var starts: ModuleStartTimes {
    var starts = ModuleStartTimes()
    (starts.cold, starts.warm, starts.hot) = (.seconds(12), .seconds(12), .seconds(4))
    return starts
  }

  private let loop: EventLoop
  private let line: PseudoTerminal
  private let start: Moment
  private var module: ReceiverModule
  private var registration: EventLoop.Registration?
  private var timer: LoopTimer?

  init(loop: EventLoop, schedule: DemoSchedule) throws {
    self.loop = loop
    start = loop.now
    line = try PseudoTerminal()
    var options = ModuleOptions()
    options.utc = loop.clock.timestamp()
    options.route = CityRoute.berlin.halting(schedule.halts)
    options.firstStart = .cold
    options.starts = Self.starts
    options.satellitesMove = true
    module = ReceiverModule(.ublox10, options: options)
    timer = loop.addTimer("virtual receiver") { [unowned self] _ in serve() }
    registration = try loop.watch(line.raw, for: .readable) { [unowned self] _ in serve() }
    serve()
  }

  /// The device that a logger opens.
  var path: String { line.path }

  /// Switches the reception of the antenna on or off.
  func setReception(_ isOpen: Bool) {
    module.setReception(isOpen, now: now)
    serve()
  }

  /// Ends all output.
  func stop() {
    timer?.arm(at: nil)
    if let registration { loop.remove(registration) }
    registration = nil
  }

  private var now: Moment { .zero + (loop.now - start) }

  private func serve() {
    module.receive(line.read(), at: line.speed, now: now)
    let bytes = module.transmit(until: now, to: line.speed)
    // A simulated clock jumps to the host's next read, which must find all bytes.
    if !bytes.isEmpty { _ = loop.clock is SimulatedClock ? line.writeThrough(bytes) : line.write(bytes) }
    timer?.arm(at: module.nextMoment.map { max(start + ($0 - .zero), loop.now + .milliseconds(2)) })
  }
}
