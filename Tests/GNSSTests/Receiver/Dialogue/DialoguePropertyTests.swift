import Quantities
import Testing
import GNSSProtocol
@testable import GNSSReceiver

/// Any events in any order.
@Suite struct DialoguePropertyTests {
  /// More than an hour of random events; the promises are checked after each.
  struct Storm {
    var random: SplitMix64
    var bench: DialogueBench
    let control: ReceiverControl
    var receivedBytes = 0
    var events = 0

    init(seed: UInt64, control: ReceiverControl) {
      random = SplitMix64(seed: seed)
      self.control = control
      let family = ReceiverFamily.allCases.randomElement(using: &random) ?? .unknown
      let known =
        Bool.random(using: &random)
        ? KnownReceiver(
          speed: 38_400, identity: ReceiverIdentity(family: family, protocolVersion: 1800), interval: 1000)
        : nil
      bench = DialogueBench(
        DialogueSettings(
          control: control, speed: UInt8.random(in: 0..<4, using: &random) == 0 ? .fixed(9600) : .automatic,
          targetSpeed: Bool.random(using: &random) ? 115_200 : nil,
          hasEnableLine: Bool.random(using: &random),
          setUp: [nil, SetUp(interval: 200), SetUp()].randomElement(using: &random) ?? nil), known: known)
    }

    mutating func step() {
      events += 1
      if Int.random(in: 0..<4, using: &random) == 0 { _ = bench.dialogue.admits(fix(), now: bench.now) }
      bench.send(event())
      check()
      let pauses: [Int64] = [0, 1, 20, 300, 1200, 5000, 60_000]
      bench.advance(
        milliseconds: pauses.randomElement(using: &random) ?? 0, drains: Bool.random(using: &random))
      check()
    }

    func check() {
      if let deadline = bench.dialogue.nextTimeout {
        if deadline <= bench.now { Issue.record("\(bench.dialogue.phase) is due at \(deadline)") }
      }
    }

    private mutating func event() -> DialogueEvent {
      switch Int.random(in: 0..<29, using: &random) {
      case 24: return .request(.aid(aid()))
      case 25: return .request(.restarted([.hot, .warm, .cold].randomElement(using: &random) ?? .hot))
      case 26:
        return Int.random(in: 0..<8, using: &random) == 0 ? .request(.foundAgain) : .request(.aid(aid()))
      case 27:
        let waits: [Duration] = [.zero, .seconds(-5), .seconds(120), .seconds(280), .seconds(1 << 62)]
        return .request(.batches(every: waits.randomElement(using: &random) ?? .zero))
      case 28: return .request(.storedEpochs)
      case 0: return .opened(hasSpeed: Int.random(in: 0..<4, using: &random) > 0)
      case 1: return Int.random(in: 0..<6, using: &random) == 0 ? .lost : .drained
      case 2: return .drained
      case 3: return .request(.awake)
      case 4:
        let durations: [Duration?] = [
          nil, .zero, .seconds(-5), .seconds(30), .seconds(4000), .seconds(1 << 62),
        ]
        return .request(.asleep(for: durations.randomElement(using: &random) ?? nil))
      case 5:
        return .request(
          .setUp(SetUp(interval: [40, 1000, 10_000, .min, .max].randomElement(using: &random) ?? 1)))
      case 6..<13: return .answer(answer())
      case 13..<18: return received(frames: 0)
      default: return received(frames: Int.random(in: 1..<9, using: &random))
      }
    }

    private mutating func aid() -> StartAid {
      let moments: [Moment] = [
        bench.now, .zero, .init(nanoseconds: .min), .init(nanoseconds: .max), bench.now + .seconds(60),
      ]
      let errors: [Duration] = [.zero, .seconds(1), .seconds(-1), .seconds(1 << 62), .milliseconds(1)]
      let times: [Int64] = [0, 1_774_087_200_000, .min, .max, -1]
      let numbers: [Double] = [0, 25, -1, .nan, .infinity, 1e300, 99_999]
      var aid = StartAid()
      if Bool.random(using: &random) {
        aid.time = .init(
          utc: Timestamp(milliseconds: times.randomElement(using: &random) ?? 0),
          error: errors.randomElement(using: &random) ?? .zero,
          at: moments.randomElement(using: &random) ?? .zero)
      }
      if Bool.random(using: &random), let position = Coordinate(latitude: 52, longitude: 13) {
        aid.knownPosition = .init(
          position: position, altitude: numbers.randomElement(using: &random),
          error: numbers.randomElement(using: &random) ?? 0,
          at: moments.randomElement(using: &random) ?? .zero)
      }
      return aid
    }

    private mutating func fix() -> Fix {
      var fix = Fix()
      fix.kind = Bool.random(using: &random) ? .threeDimensional : .none
      fix.latitude = Double.random(in: -90...90, using: &random)
      fix.longitude = 13
      return fix
    }

    private mutating func received(frames: Int) -> DialogueEvent {
      let bytes = [0, 1, 70, 600, 1500, 5000, .max].randomElement(using: &random) ?? 0
      receivedBytes = receivedBytes &+ min(bytes, 5000)
      return .received(bytes: bytes, frames: frames)
    }

    private mutating func answer() -> ReceiverAnswer {
      let flag = Bool.random(using: &random)
      let family = ReceiverFamily.allCases.randomElement(using: &random) ?? .unknown
      let byte = UInt8.random(in: 0...255, using: &random)
      let number = Int.random(in: -1...900, using: &random)
      let answers: [ReceiverAnswer] = [
        .acknowledge(
          class: 6, id: [0x8A, 0x08, 0x01, 0x24, byte].randomElement(using: &random) ?? 0, accepted: flag),
        .pmtk(command: [220, 314, 225, number].randomElement(using: &random) ?? 0, flag: number % 5),
        .pair(command: [62, 382, 50, number].randomElement(using: &random) ?? 0, result: number % 7),
        .pqtm(name: "PQTMCFGMSGRATE", accepted: flag), .casic(class: 6, id: byte, accepted: flag),
        .version(ReceiverIdentity(family: family)),
        .version(ReceiverIdentity(family: family, protocolVersion: flag ? 1800 : nil)), .started,
        .savedState(command: byte, response: byte), .savedState(command: 3, response: 2),
        .savedState(command: 2, response: 1), .acknowledge(class: 6, id: 0x23, accepted: flag),
        .aiding(id: 0x40, accepted: flag), .antenna(.open), .aiding(id: byte, accepted: flag),
        .sinceStart(timeToFirstFix: 0, uptime: UInt32.random(in: 0...90_000, using: &random)),
        .batch(stored: number, dropped: number / 3), .storedEpoch,
        .errorText("?"), .foreign(.sirfBinary),
      ]
      return answers.randomElement(using: &random) ?? .started
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>, ReceiverControl.allCases)
  func anyEventsStayWithinTheLimits(seed: UInt64, control: ReceiverControl) {
    var storm = Storm(seed: seed, control: control)
    for _ in 0..<400 { storm.step() }
    let actions = storm.bench.take()
    if control == .none {
      let touches = actions.filter { action in
        switch action {
        case .write, .awaitDrain, .enableLine: true
        case .setSpeed, .reopen, .report, .remember: false
        }
      }
      #expect(touches.isEmpty, "seed \(seed): \(touches)")
    }
    #expect(actions.allSatisfy { if case .write(let bytes) = $0 { bytes.count <= 1024 } else { true } })
    let hours = Double((storm.bench.now - .zero).wholeMilliseconds) / 3_600_000
    let bound = 40 * storm.events + Int(hours * 1000) + 2000
    #expect(actions.count < bound, "seed \(seed): \(actions.count) actions in \(hours) h")
  }

  /// A receiver that stays silent, or sends only garbage, costs little, however long that lasts.
  @Test(arguments: [0, 1200], [nil, 115_200] as [UInt32?])
  func aLastingFaultCostsLittle(bytes: Int, target: UInt32?) {
    var bench = DialogueBench(
      DialogueSettings(control: .full, targetSpeed: target, hasEnableLine: true, setUp: SetUp()))
    bench.send(.opened(hasSpeed: true))
    for _ in 0..<3600 * 4 {
      bench.advance(seconds: 1)
      bench.received(bytes, 0)
    }
    _ = bench.take()
    for _ in 0..<3600 {
      bench.advance(seconds: 1)
      bench.received(bytes, 0)
    }
    let actions = bench.take()
    #expect(actions.filter(\.isWrite).count <= (bytes == 0 ? 3 * 9 * 8 : 0))
    #expect(actions.count <= 3600 + 3 * 9 * 8)
    #expect(!actions.contains { $0.notice != nil })
  }
}
