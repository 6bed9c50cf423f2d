import Devices
import EventLoop
import LoggerConfiguration
import Settings
import System

/// The switch of the radio: a pair of programs or units, rfkill of the kernel, or a GPIO line.
final class NetworkSwitch {
  private enum Means {
    case programs(up: String?, down: String?)
    case kernel(RadioKill.Sort, device: String)
    case line(SupplySwitch)
  }

  private let loop: EventLoop
  private let means: Means
  private let host: HookCommand.Host
  private var run: (program: ChildProgram, registration: EventLoop.Registration)?

  /// Requests an output line with its initial level, true for active. Returns the function that sets the level.
  typealias OpenLine = (_ wiring: LineWiring, _ isActive: Bool) throws(SystemError) -> SupplySwitch

  /// The configured switch; nil if there is none. A line is initially active, so that the network stays on.
  ///
  /// Throws if the line is not available.
  convenience init?(
    _ settings: NetworkSettings, loop: EventLoop, kernel: String = RadioKill.device,
    open: OpenLine = NetworkSwitch.open, host: HookCommand.Host = .current
  ) throws(SystemError) {
    if settings.up != nil || settings.down != nil {
      self.init(.programs(up: settings.up, down: settings.down), loop: loop, host: host)
    } else if let radio = settings.radio {
      self.init(.kernel(RadioKill.Sort(radio), device: kernel), loop: loop, host: host)
    } else if let wiring = settings.line {
      self.init(.line(try open(LineWiring(wiring), true)), loop: loop, host: host)
    } else {
      return nil
    }
  }

  private static func open(_ wiring: LineWiring, isActive: Bool) throws(SystemError) -> SupplySwitch {
    let line = try OutputLine(wiring: wiring, isActive: isActive)
    return { isOn throws(SystemError) in try line.set(isOn) }
  }

  private init(_ means: Means, loop: EventLoop, host: HookCommand.Host) {
    self.means = means
    self.loop = loop
    self.host = host
  }

  /// Switches the radio. Calls `done` once, now or later, with the reason of a failure or nil; not after ``abandon()``.
  func turn(on isOn: Bool, _ done: @escaping (String?) -> Void) {
    abandon()
    do throws(SystemError) {
      switch means {
      case .programs(let up, let down):
        guard let program = isOn ? up : down else { return done(nil) }
        try start(HookCommand(program, host: host), done)
        return
      case .kernel(let sort, let device): try RadioKill.block(sort, !isOn, device: device)
      case .line(let turn): try turn(isOn)
      }
      done(nil)
    } catch {
      done("\(error)")
    }
  }

  /// Kills a running program.
  func abandon() {
    guard let run else { return }
    self.run = nil
    loop.remove(run.registration)
    run.program.kill()
  }

  /// Switches the radio on at the end of the logger; waits for a program at most `timeout`.
  func leaveOn(atMost timeout: Duration) {
    guard case .programs(let up?, _) = means else { return turn(on: true) { _ in } }
    abandon()
    _ = (try? HookCommand(up, host: host).start())?.waitForEnd(atMost: timeout)
  }

  private func start(_ command: HookCommand, _ done: @escaping (String?) -> Void) throws(SystemError) {
    let program = try command.start()
    let registration = try loop.watch(program.descriptor, for: .readable) { [unowned self] _ in
      guard let run, run.program === program else { return }
      self.run = nil
      loop.remove(run.registration)
      done(command.failure(program.ending))
    }
    run = (program, registration)
  }
}

extension RadioKill.Sort {
  init(_ sort: RadioKind) {
    switch sort {
    case .wlan: self = .wlan
    case .wwan: self = .wwan
    case .bluetooth: self = .bluetooth
    case .all: self = .all
    }
  }
}
