import GNSSProtocol
import Quantities

/// Wakes the receiver with stronger means at each attempt: the wake bytes again, the factory baud rates,
/// reopening the port, its supply.
struct Waking: Sendable {
  static let proofTime = Duration.seconds(2)
  static let reopenTime = Duration.seconds(5)
  static let offTime = Duration.seconds(1)
  static let mostBytes = 64
  /// Time from the supply to the banner.
  static let startTime = Duration.milliseconds(500)

  /// The result of an event or timeout.
  enum Outcome: Equatable, Sendable {
    case working
    case awake
    case failed
  }

  /// A means of waking, weakest first.
  enum Rung: Equatable, Sendable {
    case wake(speed: UInt32)
    case reopen
    case powerOn
    case powerCycle
  }

  private enum Stage: Sendable {
    /// The supply is off for a moment, or on and the receiver is not ready yet.
    case powering(isOn: Bool)
    case reopening
    /// The wake bytes were sent.
    case sendingWakeBytes
    case commanding(CommandRun)
    case listening
  }

  private let rungs: [Rung]
  private let sequence: WakeSequence
  /// The last proven baud rate.
  private let provenSpeed: UInt32
  private let proofTime: Duration
  private var index = -1
  private var stage = Stage.listening
  private var frames = 0
  /// Frames needed as proof: more than one at an unproven baud rate.
  private var neededFrames = 1
  private(set) var deadline: Moment?
  /// True if the supply was off meanwhile, so that volatile settings are lost.
  private(set) var wasOff: Bool

  /// Creates the phase. `speeds` are tried after the current baud rate has failed twice.
  init(
    _ sequence: WakeSequence, speeds: [UInt32], isOff: Bool, hasEnableLine: Bool, interval: Duration,
    line: LineState
  ) {
    self.sequence = sequence
    provenSpeed = line.speed
    wasOff = isOff
    proofTime = max(Self.proofTime, interval + .seconds(1))
    let present = Rung.wake(speed: line.speed)
    let others = line.hasSpeed ? speeds.filter { $0 != line.speed }.map { Rung.wake(speed: $0) } : []
    rungs =
      [isOff ? .powerOn : present, present] + others + [.reopen] + (hasEnableLine ? [.powerCycle] : [])
  }

  mutating func begin(line: inout LineState, now: Moment, _ actions: inout [DialogueAction]) {
    _ = climb(&line, now: now, &actions)
  }

  mutating func received(frames: Int) -> Outcome {
    guard frames > 0 else { return .working }
    switch stage {
    case .powering(isOn: false), .reopening: return .working
    case .powering(isOn: true), .sendingWakeBytes, .commanding:
      self.frames = Finding.sum(self.frames, frames)
      return .working
    case .listening:
      self.frames = Finding.sum(self.frames, frames)
      return self.frames >= neededFrames ? .awake : .working
    }
  }

  mutating func take(_ answer: ReceiverAnswer, now: Moment, _ actions: inout [DialogueAction]) -> Outcome {
    guard case .commanding(var run) = stage else { return .working }
    run.take(answer, now: now, &actions)
    return follow(run, now: now)
  }

  mutating func opened(now: Moment, _ actions: inout [DialogueAction]) {
    guard case .reopening = stage else { return }
    sendWakeBytes(now: now, &actions)
  }

  mutating func handleTimeout(
    line: inout LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    guard let deadline, now >= deadline else { return .working }
    switch stage {
    case .powering(isOn: false):
      actions.append(.enableLine(true))
      stage = .powering(isOn: true)
      self.deadline = now.after(Self.startTime)
      return .working
    case .powering(isOn: true):
      sendWakeBytes(now: now, &actions)
      return .working
    case .reopening, .listening: return climb(&line, now: now, &actions)
    case .sendingWakeBytes:
      var run = CommandRun(sequence.commands, line: line, reports: false)
      run.begin(now: now, &actions)
      return follow(run, now: now)
    case .commanding(var run):
      run.handleTimeout(now: now, &actions)
      return follow(run, now: now)
    }
  }

  private mutating func climb(
    _ line: inout LineState, now: Moment, _ actions: inout [DialogueAction]
  ) -> Outcome {
    index += 1
    frames = 0
    guard rungs.indices.contains(index) else {
      deadline = nil
      return .failed
    }
    switch rungs[index] {
    case .wake(let speed):
      line.change(to: speed, &actions)
      neededFrames = speed == provenSpeed ? 1 : Finding.enoughFrames
      sendWakeBytes(now: now, &actions)
    case .reopen:
      line.change(to: provenSpeed, &actions)
      neededFrames = 1
      actions.append(.reopen)
      stage = .reopening
      deadline = now.after(Self.reopenTime)
    case .powerOn:
      actions.append(.enableLine(true))
      stage = .powering(isOn: true)
      deadline = now.after(Self.startTime)
    case .powerCycle:
      wasOff = true
      actions.append(.enableLine(false))
      stage = .powering(isOn: false)
      deadline = now.after(Self.offTime)
    }
    return .working
  }

  private mutating func sendWakeBytes(now: Moment, _ actions: inout [DialogueAction]) {
    if !sequence.bytes.isEmpty { actions.append(.write(Array(sequence.bytes.prefix(Self.mostBytes)))) }
    stage = .sendingWakeBytes
    deadline = now.after(min(sequence.pause, .seconds(10)))
  }

  private mutating func follow(_ run: CommandRun, now: Moment) -> Outcome {
    guard run.isFinished else {
      stage = .commanding(run)
      deadline = run.deadline
      return .working
    }
    guard frames < neededFrames else { return .awake }
    stage = .listening
    deadline = now.after(proofTime)
    return .working
  }
}

extension ReceiverFamily {
  /// The baud rates of modules with factory settings, in bit/s.
  var factorySpeeds: [UInt32] {
    switch self {
    case .ubloxMessages: [9600]
    case .ubloxKeys: [38_400, 9600]
    case .mediaTek: [9600]
    case .airoha: [115_200, 9600]
    case .quectel: [115_200, 460_800]
    case .casic: [9600, 115_200]
    case .sirf: [4800, 9600]
    case .unknown: []
    }
  }
}
