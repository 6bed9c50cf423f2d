import Quantities
import Simulation
import GNSSProtocol
import GNSSReceiver

/// A dialogue and a virtual module at the two ends of one line, driven like a device driver does on a
/// simulated clock.
struct DialogueStation {
  var now = Moment.zero
  var dialogue: ReceiverDialogue
  var module: ReceiverModule
  private(set) var notices: [DialogueNotice] = []
  private(set) var remembered: KnownReceiver?
  private(set) var fixes: [Fix] = []
  private(set) var withheld: [Fix] = []
  private(set) var isSupplied = true
  private(set) var writes = 0
  private(set) var written: [UInt8] = []
  /// Each write with its time.
  private(set) var log: [(moment: Moment, bytes: [UInt8])] = []
  private(set) var answers: [ReceiverAnswer] = []
  private(set) var speeds: [UInt32] = []
  /// The reported signal strengths of satellites.
  private(set) var signals: [UInt8] = []
  /// True if the port has a baud rate; a USB port has none.
  private let hasSpeed: Bool
  private var speed: UInt32
  private var decoder = ReceiverDecoder()
  private var drainedAt: Moment?
  private var sentUntil = Moment.zero
  private var reopensAt: Moment?

  init(
    _ module: ReceiverModule, _ settings: DialogueSettings, known: KnownReceiver? = nil, hasSpeed: Bool = true
  ) {
    self.module = module
    self.hasSpeed = hasSpeed
    dialogue = ReceiverDialogue(settings: settings, known: known, now: .zero)
    speed = dialogue.speed
    decoder.reportsSignalStrength = true
    send(.opened(hasSpeed: hasSpeed))
  }

  static let setUp = SetUp(interval: 1000, dynamics: .automotive)

  init(
    _ model: ModuleModel, control: ReceiverControl = .full, target: UInt32? = nil,
    setUp: SetUp? = DialogueStation.setUp, hasEnableLine: Bool = false, known: KnownReceiver? = nil,
    hasSpeed: Bool = true, _ change: (inout ModuleOptions) -> Void = { _ in }
  ) {
    var options = ModuleOptions()
    options.firstStart = .hot
    change(&options)
    self.init(
      ReceiverModule(model, options: options),
      DialogueSettings(control: control, targetSpeed: target, hasEnableLine: hasEnableLine, setUp: setUp),
      known: known, hasSpeed: hasSpeed)
  }

  mutating func send(_ event: DialogueEvent) { perform(dialogue.handle(event, now: now)) }

  mutating func advance(seconds: Double) {
    let end = now + .milliseconds(Int64(seconds * 1000))
    for _ in 0..<2_000_000 {
      let moments = [dialogue.nextTimeout, module.nextMoment, drainedAt, reopensAt, decoder.nextTimeout]
      guard let next = moments.compactMap({ $0 }).min(), next <= end else { break }
      // A driver is never exactly on time.
      now = max(now + .milliseconds(1), next)
      turn()
    }
    now = max(now, end)
    read()
  }

  /// Advances until the dialogue is in `state`; false when it is not within `seconds`.
  mutating func advance(until state: ReceiverDialogue.State, seconds: Double) -> Bool {
    let end = now + .milliseconds(Int64(seconds * 1000))
    while dialogue.state != state, now < end { advance(seconds: 0.1) }
    return dialogue.state == state
  }

  /// Ends the run of the program without another word, and begins the next one later: the module goes on alone.
  mutating func beginNextRun(after seconds: Double) {
    now = now + .milliseconds(Int64(seconds * 1000))
    _ = module.transmit(until: now, to: hasSpeed ? speed : module.speed)
    let known = remembered.flatMap { KnownReceiver(text: $0.text) }
    dialogue = ReceiverDialogue(settings: dialogue.settings, known: known, now: now)
    (speed, drainedAt, reopensAt) = (dialogue.speed, nil, nil)
    decoder = ReceiverDecoder()
    send(.opened(hasSpeed: hasSpeed))
  }

  mutating func takeNotices() -> [DialogueNotice] {
    defer { notices = [] }
    return notices
  }

  /// The bytes written since the last call.
  mutating func takeLog() -> [(moment: Moment, bytes: [UInt8])] {
    defer { log = [] }
    return log
  }

  mutating func takeSignals() -> [UInt8] {
    defer { signals = [] }
    return signals
  }

  mutating func takeFixes() -> (admitted: [Fix], withheld: [Fix]) {
    defer { (fixes, withheld) = ([], []) }
    return (fixes, withheld)
  }

  private mutating func turn() {
    if let drainedAt, now >= drainedAt {
      self.drainedAt = nil
      send(.drained)
    }
    if let reopensAt, now >= reopensAt {
      self.reopensAt = nil
      send(.opened(hasSpeed: hasSpeed))
    }
    read()
    close()
    perform(dialogue.handleTimeout(now: now))
  }

  private mutating func read() {
    let bytes = module.transmit(until: now, to: hasSpeed ? speed : module.speed)
    guard !bytes.isEmpty else { return }
    let before = decoder.frames
    var receptions: [Reception] = []
    bytes.withUnsafeBytes { bytes in decoder.decode(bytes, at: now) { receptions.append($0) } }
    take(receptions.compactMap(\.fix))
    if let signal = decoder.takeStrongestSignal() { signals.append(signal) }
    send(.received(bytes: bytes.count, frames: Int(decoder.frames - before)))
    for case .answer(let answer) in receptions {
      answers.append(answer)
      send(.answer(answer))
    }
  }

  private mutating func close() {
    var receptions: [Reception] = []
    decoder.handleTimeout(now: now) { receptions.append($0) }
    take(receptions.compactMap(\.fix))
  }

  private mutating func take(_ closed: [Fix]) {
    for fix in closed {
      if dialogue.admits(fix, now: now) { fixes.append(fix) } else { withheld.append(fix) }
    }
  }

  private mutating func perform(_ actions: [DialogueAction]) {
    for action in actions {
      switch action {
      case .write(let bytes):
        writes += 1
        written += bytes
        log.append((now, bytes))
        sentUntil = max(sentUntil, now) + .nanoseconds(Int64(bytes.count) * 10_000_000_000 / Int64(speed))
        module.receive(bytes, at: hasSpeed ? speed : module.speed, now: now)
      case .awaitDrain: drainedAt = max(sentUntil, now)
      case .setSpeed(let speed):
        _ = module.transmit(until: now, to: self.speed)
        self.speed = speed
        speeds.append(speed)
        decoder.reset()
      case .reopen: reopensAt = now + .milliseconds(100)
      case .enableLine(let isOn):
        isSupplied = isOn
        module.setSupply(isOn, now: now)
      case .report(let notice): notices.append(notice)
      case .remember(let receiver): remembered = receiver
      }
    }
  }
}

extension ModuleModel {
  /// The family that identification finds.
  var family: ReceiverFamily {
    switch self {
    case .ublox6, .ublox7, .ublox8: .ubloxMessages
    case .ublox9, .ublox10: .ubloxKeys
    case .mediaTek: .mediaTek
    case .airoha: .airoha
    case .quectel: .quectel
    case .casic: .casic
    case .sirf: .sirf
    case .plain: .unknown
    }
  }
}
