import DaySupport
import GNSSProtocol
import GNSSReceiver
import Quantities
import Records
import Simulation
import Tracking

/// A virtual module on a serial line for a day, with its receiver session. Bytes pass in both directions, and the epochs
/// go to the tracker.
final class DayModule: DayCompanion {
  /// Faults of the line.
  struct Line {
    /// One byte in so many is changed; 0: none.
    var damagesOneIn = 0
    /// Bytes that are lost at the start, so that the first byte is within a frame.
    var losesFirst = 0
  }

  private(set) var module: ReceiverModule
  private(set) var dialogue: ReceiverDialogue
  private(set) var notices: [DialogueNotice] = []
  /// The time that the module was seen asleep.
  private(set) var slept = Duration.zero
  private(set) var epochs = 0
  private var decoder = ReceiverDecoder()
  /// The number of bytes that the line has changed.
  private(set) var damaged = 0
  private var line: Line
  private var random = SplitMix64(seed: 1)
  private var speed: UInt32
  private var drainedAt: Moment?
  private var sentUntil = Moment.zero
  private var reopensAt: Moment?
  private var events: [TrackerEvent] = []
  private var now = Moment.zero + .seconds(100)
  private let canSleep: Bool

  init(
    _ module: ReceiverModule, control: ReceiverControl = .full, interval: Int = 1000,
    line: Line = Line()
  ) {
    self.module = module
    self.line = line
    canSleep = control == .full
    let settings = DialogueSettings(
      control: control, setUp: control == .full ? SetUp(interval: interval, dynamics: .automotive) : nil)
    dialogue = ReceiverDialogue(settings: settings, known: nil, now: now)
    speed = dialogue.speed
    // Data from before the port was open is lost.
    _ = self.module.transmit(until: now, to: speed)
    send(.opened(hasSpeed: true))
    send(.request(.awake))
  }

  var nextTimeout: Moment? {
    earliest(
      dialogue.nextTimeout, module.nextMoment, drainedAt, earliest(reopensAt, decoder.nextTimeout))
  }

  func take(_ actions: [TrackerAction], now: Moment) {
    follow(now)
    guard canSleep else { return }
    for case .receiver(let state, let until) in actions {
      let desiredState: DesiredReceiverState =
        state.isPowered ? .awake : .asleep(for: until.map { max($0 - now, .seconds(1)) })
      send(.request(desiredState))
    }
  }

  func advance(now: Moment) -> [TrackerEvent] {
    follow(now)
    for _ in 0..<50 {
      if let due = drainedAt, due <= now {
        drainedAt = nil
        send(.drained)
      }
      if let due = reopensAt, due <= now {
        reopensAt = nil
        send(.opened(hasSpeed: true))
      }
      read()
      if let due = decoder.nextTimeout, due <= now {
        var receptions: [Reception] = []
        decoder.handleTimeout(now: now) { receptions.append($0) }
        hand(receptions)
      }
      guard let due = dialogue.nextTimeout, due <= now else { break }
      perform(dialogue.handleTimeout(now: now))
    }
    defer { events = [] }
    return events
  }

  private func follow(_ moment: Moment) {
    if module.isAsleep { slept += moment - now }
    now = max(now, moment)
  }

  private func send(_ event: DialogueEvent) { perform(dialogue.handle(event, now: now)) }

  private func read() {
    let bytes = disturbed(module.transmit(until: now, to: speed))
    guard !bytes.isEmpty else { return }
    let before = decoder.frames
    var receptions: [Reception] = []
    bytes.withUnsafeBytes { bytes in decoder.decode(bytes, at: now) { receptions.append($0) } }
    hand(receptions)
    send(.received(bytes: bytes.count, frames: Int(decoder.frames - before)))
    for case .answer(let answer) in receptions { send(.answer(answer)) }
  }

  private func disturbed(_ bytes: [UInt8]) -> [UInt8] {
    let lost = min(line.losesFirst, bytes.count)
    line.losesFirst -= lost
    guard line.damagesOneIn > 0 else { return Array(bytes.dropFirst(lost)) }
    return bytes.dropFirst(lost).map { byte in
      let isHit = Int.random(in: 0..<line.damagesOneIn, using: &random) == 0
      damaged += isHit ? 1 : 0
      return isHit ? byte ^ 1 << UInt8.random(in: 0..<8, using: &random) : byte
    }
  }

  private func hand(_ receptions: [Reception]) {
    for case .epoch(let fix) in receptions {
      epochs += 1
      let isAdmitted = dialogue.admits(fix, now: now)
      events.append(isAdmitted ? .epoch(fix, systemClock: Timestamp(milliseconds: 0)) : .withheld(fix))
    }
  }

  private func perform(_ actions: [DialogueAction]) {
    for action in actions {
      switch action {
      case .write(let bytes):
        sentUntil = max(sentUntil, now) + .nanoseconds(Int64(bytes.count) * 10_000_000_000 / Int64(speed))
        module.receive(bytes, at: speed, now: now)
      case .awaitDrain: drainedAt = max(sentUntil, now)
      case .setSpeed(let speed):
        _ = module.transmit(until: now, to: self.speed)
        self.speed = speed
        decoder.reset()
      case .reopen: reopensAt = now + .milliseconds(100)
      case .enableLine(let isOn): module.setSupply(isOn, now: now)
      case .report(let notice): notices.append(notice)
      case .remember: break
      }
    }
  }

  /// The baud rate that both sides use in the end.
  var provenSpeed: UInt32? { dialogue.provenSpeed }
}
