import Chips
import Devices
import EventLoop
import Quantities
import Scheduling
import Settings

/// Has a power manager on a bus cut the supply of the host and restore it: carries out a ``PowerDown``, and reads the reason
/// of the start.
///
/// It talks to the board at a start, before a cut, and after a cut that is called off. Nothing polls the board.
final class SupplyCut {
  /// The tries of reading the reason of the start, before its failure is reported.
  private static let tries = 3
  /// The pause after that. The tries go on, because a timer of the board may restart a host that is up.
  private static let longPause = Duration.seconds(60)
  /// The tries of calling off a cut at the stop of the logger, in a row: a busy board does not acknowledge.
  private static let triesAtStop = 20

  /// Called with the reason if a cut that may be armed cannot be called off.
  var onFault: (String) -> Void = { _ in }

  /// The board with its address and bus.
  let location: PartLocation
  private let part: PowerManagerPart
  private let address: I2CAddress
  private let settings: PowerManagerSettings
  private let loop: EventLoop
  private let openBus: BusOpening
  private var board: (any PowerManager)?
  private var sequence: PowerDown?
  private var done: ((String?) -> Void)?
  /// The time until which calling off is tried; nil while nothing is called off.
  private var callsOffUntil: Moment?
  /// True if it was reported that calling off fails.
  private var hasReportedFault = false
  private var inspection: (failures: Int, done: (Result<StartReason, ChipError>) -> Void)?
  private var timer: LoopTimer?

  /// Nil if there is no driver for the board.
  init?(
    _ settings: PowerManagerSettings, loop: EventLoop,
    openBus: @escaping BusOpening = LinuxI2CBus.opening(_:for:)
  ) {
    guard case .chip(let name, let path)? = settings.part, let part = PowerManagerPart.named(name),
      let address = settings.address.map({ I2CAddress($0) }) ?? part.addresses.first
    else { return nil }
    (self.part, self.address, self.settings, self.loop) = (part, address, settings, loop)
    self.openBus = openBus
    location = PartLocation(name: name, path: path, address: address)
    timer = loop.addTimer("power manager") { [unowned self] now in timeout(now: now) }
  }

  /// The board's time in s; nil if it does not respond. Differences are valid.
  var seconds: Int64? {
    for _ in 0..<Self.tries {
      if let seconds = try? opened().seconds() { return seconds }
    }
    return nil
  }

  /// The longest time to an alarm of the board.
  var longestWake: Duration { (try? opened().longestWake) ?? .seconds(86_400) }

  /// Identifies the board, calls off what an earlier run armed, makes sure that there is a way back after an empty battery,
  /// and passes the reason of the start to `done`, now or later.
  func inspect(_ done: @escaping (Result<StartReason, ChipError>) -> Void) {
    inspection = (0, done)
    tryInspection()
  }

  /// Has the supply cut, and restored after `time`. Calls `done` once, now or later, with the reason of a failure or nil:
  /// then the host must shut down. Not after ``callOff()``.
  func begin(for time: Duration, isCritical: Bool, alarms: AlarmRecord, _ done: @escaping (String?) -> Void) {
    let request = PowerDown.Request(
      time: time, cutAfter: settings.cutAfter, deadMan: settings.deadMan, isCritical: isCritical,
      provenAlarms: alarms.proven)
    self.done = done
    callsOffUntil = nil
    var sequence: PowerDown
    do throws(ChipError) { sequence = PowerDown(request, on: try opened()) } catch {
      return end("\(location.words): \(error.words)")
    }
    let first = sequence.begin()
    self.sequence = sequence
    carryOut(first)
  }

  /// Keeps the supply on, if it is to be cut. It is tried until the cut has come or can no longer come.
  func callOff() {
    done = nil
    guard sequence != nil else { return }
    callsOffUntil = loop.now + settings.cutAfter
    callOffNow()
  }

  private func callOffNow() {
    guard var sequence else { return }
    let first = sequence.callOff()
    self.sequence = sequence
    carryOut(first)
  }

  /// Ends its work. A cut stays armed if the shutdown was commanded; else it is called off at once.
  func stop(keepsCut: Bool) {
    if !keepsCut, sequence != nil {
      done = nil
      for step in [PowerDown.Step.disarm, .release(deadMan: settings.deadMan != nil)] {
        let isRequired = step == .disarm || board?.restartsRunningHost == true
        guard isRequired else { continue }
        _ = (0..<Self.triesAtStop).first { _ in if case .success = perform(step) { true } else { false } }
      }
      sequence = nil
    }
    if let timer { loop.removeTimer(timer) }
    timer = nil
  }

  private func timeout(now: Moment) {
    guard let sequence, callsOffUntil != nil || !sequence.isOver else {
      if inspection != nil { tryInspection() }
      return
    }
    if sequence.isOver { callOffNow() } else { carryOut(self.sequence?.handleTimeout(now: now)) }
  }

  private func carryOut(_ action: PowerDown.Action?) {
    var next = action
    while let action = next {
      switch action {
      case .perform(let step): next = sequence?.take(perform(step), now: loop.now)
      case .wait(let until):
        timer?.arm(at: until)
        return
      case .goDown:
        board = nil
        return end(nil)
      case .stayUp(let refusal):
        board = nil
        let text = "\(location.words): \(refusal.text)"
        if case .mayBeCut = refusal, callsOffUntil.map({ loop.now < $0 }) ?? true {
          // It is reported once: here, or by the caller of ``begin(for:isCritical:alarms:_:)``.
          if done == nil, !hasReportedFault { onFault(text) }
          hasReportedFault = true
          callsOffUntil = callsOffUntil ?? loop.now + settings.cutAfter
          timer?.arm(at: loop.now + .seconds(1))
        } else {
          (sequence, callsOffUntil, hasReportedFault) = (nil, nil, false)
          if inspection != nil { timer?.arm(at: loop.now + Self.longPause) }
        }
        return end(text)
      }
    }
  }

  private func end(_ failure: String?) {
    let done = done
    self.done = nil
    done?(failure)
  }

  private func perform(_ step: PowerDown.Step) -> Result<PowerDown.Outcome, ChipError> {
    do throws(ChipError) { return step.perform(on: try opened()) } catch { return .failure(error) }
  }

  /// The board; the bus is opened for a sequence of calls, and closed after it.
  private func opened() throws(ChipError) -> any PowerManager {
    if let board { return board }
    do throws(I2CError) {
      let opened = part.make(try openBus(location.path, address), address)
      board = opened
      return opened
    } catch { throw .bus(error) }
  }

  private func tryInspection() {
    guard let (failures, done) = inspection else { return }
    do throws(ChipError) {
      finishInspection(
        .success(
          try opened().receiveHost(
            deadMan: settings.deadMan,
            limits: SupplyLimits(low: settings.lowVolts, recovery: settings.recoveryVolts))), done)
    } catch {
      let pause = board?.retryPause ?? .milliseconds(500)
      inspection?.failures = min(failures + 1, Self.tries)
      timer?.arm(at: loop.now + (failures + 1 < Self.tries ? pause : Self.longPause))
      guard failures + 1 == Self.tries else { return }
      // The tries go on without another report.
      inspection?.done = { _ in }
      done(.failure(error))
    }
  }

  private func finishInspection(
    _ result: Result<StartReason, ChipError>, _ done: (Result<StartReason, ChipError>) -> Void
  ) {
    (inspection, board) = (nil, nil)
    done(result)
  }
}

extension PowerDown.Refusal {
  /// The reason as a clause for people.
  package var text: String {
    switch self {
    case .failed(let step, let error): "\(step.text): \(error.words)"
    case .unreliable(let objection): objection
    case .clockStands(let first, let second):
      "its clock does not run: \(first) s, and a second later \(second) s"
    case .calledOff: "the cut was called off"
    case .mayBeCut(let error):
      "the cut may be armed and cannot be called off: \(error.words); the supply may be cut at any time"
    }
  }
}

extension PowerDown.Step {
  /// The step as a phrase for people.
  fileprivate var text: String {
    switch self {
    case .identify: "identification"
    case .setDeadMan(let time): "dead-man timer of \(time.wholeSeconds) s"
    case .readClock: "reading its clock"
    case .setWake(let time): "alarm in \(time.wholeSeconds) s"
    case .verifyWake: "reading the alarm back"
    case .armCut(let time): "cut in \(time.wholeSeconds) s"
    case .disarm: "calling off the cut"
    case .release: "clearing alarm and dead-man timer"
    }
  }
}
