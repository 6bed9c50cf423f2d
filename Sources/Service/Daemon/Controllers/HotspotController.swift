import EventLoop
import LocalAPI
import Quantities
import System
import WebAccess

/// Starts and ends the hotspot of the system through the units of the package. The timer of the package ends it even if
/// the logger does not run.
final class HotspotController {
  /// Handlers, set before the first request.
  struct Outputs {
    /// Requests the radio, which the logger may have switched off, and returns the token of the request; nil if the
    /// logger does not switch it.
    var requestRadio: (_ proceed: @escaping () -> Void) -> UInt64? = { proceed in
      proceed()
      return nil
    }
    var releaseRadio: (UInt64) -> Void = { _ in }
    /// The hotspot has started or ended.
    var changed: () -> Void = {}
  }

  private let context: LoggerContext
  private let host: HookCommand.Host
  private let file: String
  var outputs = Outputs()
  private var hotspot = Hotspot()
  private var radio: UInt64?
  private var run: (program: ChildProgram, registration: EventLoop.Registration)?
  private var timer: LoopTimer?

  /// `host` and `file` are the places of the units and of the file that they write.
  init(_ context: LoggerContext, host: HookCommand.Host = .current, file: String = Hotspot.file) {
    self.context = context
    self.host = host
    self.file = file
    timer = context.loop.addTimer("hotspot") { [unowned self] now in
      hotspot.handleTimeout(now: now)
      follow()
    }
  }

  /// True while the radio draws current for the hotspot.
  var isOn: Bool { hotspot.isOn }

  /// Adopts a hotspot that an earlier run started.
  func start() {
    hotspot.found(facts, now: context.loop.now)
    if hotspot.isOn { radio = outputs.requestRadio {} }
    follow()
  }

  /// Ends waiting for a unit. The hotspot stays on until its timer ends it.
  func stop() {
    if let run { context.loop.remove(run.registration) }
    run = nil
    if let timer { context.loop.removeTimer(timer) }
    timer = nil
  }

  /// Switches the hotspot, or returns its state for nil.
  func request(_ isOn: Bool?) -> ControlOutcome {
    guard let isOn else { return .done(json) }
    if isOn {
      if let obstacle = Hotspot.obstacle(
        in: context.configuration.api, shortestToken: AccessPolicy.shortestPageToken)
      {
        return .refused(Problem(409, obstacle))
      }
      guard hotspot.start() else { return .refused(Self.busy) }
      if radio == nil {
        radio = outputs.requestRadio { [weak self] in self?.start(Hotspot.startUnit) }
      } else {
        start(Hotspot.startUnit)
      }
      if radio != nil { follow() }
    } else {
      if case .off = hotspot.phase { return .done(json) }
      guard hotspot.end() else { return .refused(Self.busy) }
      start(Hotspot.endUnit)
    }
    return .done(json)
  }

  private static let busy = Problem(409, "the hotspot is being switched; retry in a few seconds")

  private var json: String { hotspot.json(port: port, now: context.loop.now) }

  private var port: UInt16? {
    context.configuration.api.listen.flatMap { text in
      text.split(separator: ":").last.flatMap { UInt16($0) }
    }
  }

  private var facts: Hotspot.Facts? { (try? FileBytes.read(file, limit: 4096)).flatMap { Hotspot.Facts($0) } }

  // MARK: The units

  private func start(_ unit: String) {
    let command = HookCommand(unit, host: host)
    do throws(SystemError) {
      let program = try command.start()
      let registration = try context.loop.watch(program.descriptor, for: .readable) { [unowned self] _ in
        guard let run, run.program === program else { return }
        self.run = nil
        context.loop.remove(run.registration)
        ended(failure: command.failure(program.ending))
      }
      run = (program, registration)
      follow()
    } catch {
      ended(failure: "\(unit): \(error)")
    }
  }

  private func ended(failure: String?) {
    if let failure { context.journal.log(.warning, "hotspot: \(failure)") }
    hotspot.unitEnded(failure: failure, facts: facts, now: context.loop.now)
    if case .on(let facts) = hotspot.phase {
      context.journal.log(.notice, "hotspot: \(facts.ssid) is on; it ends by itself after ten minutes")
    }
    follow()
  }

  /// Lets timer, radio and ledger follow the state.
  private func follow() {
    timer?.arm(at: hotspot.nextTimeout)
    if !hotspot.isOn, let radio {
      self.radio = nil
      outputs.releaseRadio(radio)
    }
    outputs.changed()
  }
}
