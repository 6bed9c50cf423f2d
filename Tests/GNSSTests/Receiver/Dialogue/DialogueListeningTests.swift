import Quantities
import Testing
@testable import GNSSReceiver

/// Without receiver control, the baud rate is found by listening alone.
@Suite struct DialogueListeningTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var promise: String
    /// Bytes and valid frames, received one second apart.
    var received: [(bytes: Int, frames: Int)]
    /// The baud rate afterwards; `isProven` is true if it is proven.
    var speed: UInt32
    var isProven = false
    var testDescription: String { promise }
  }

  static let cases = [
    Case(promise: "two frames prove the baud rate", received: [(140, 2)], speed: 9600, isProven: true),
    Case(promise: "one frame proves nothing", received: [(70, 1)], speed: 9600),
    Case(
      promise: "two reads with a frame each prove the baud rate", received: [(70, 1), (70, 1)], speed: 9600,
      isProven: true),
    Case(promise: "a few bytes without a frame are not enough", received: [(1499, 0)], speed: 9600),
    Case(promise: "many bytes without a frame rule the baud rate out", received: [(1500, 0)], speed: 115_200),
    Case(promise: "many bytes add up", received: [(800, 0), (800, 0)], speed: 115_200),
    Case(promise: "noise besides a frame is tolerated", received: [(700, 1), (4000, 0)], speed: 9600),
    Case(promise: "nothing heard, nothing done", received: [(0, 0), (0, 0)], speed: 9600),
  ]

  static func listening(
    _ speed: ReceiverSpeed = .automatic, known: KnownReceiver? = nil, hasSpeed: Bool = true
  ) -> DialogueBench {
    var bench = DialogueBench(DialogueSettings(control: .none, speed: speed), known: known)
    bench.send(.opened(hasSpeed: hasSpeed))
    return bench
  }

  @Test(arguments: cases)
  func receivedDataDecidesTheBaudRate(_ test: Case) {
    var bench = Self.listening()
    for received in test.received {
      bench.received(received.bytes, received.frames)
      bench.advance(seconds: 1)
    }
    #expect(bench.dialogue.speed == test.speed)
    #expect((bench.dialogue.provenSpeed != nil) == test.isProven)
  }

  @Test func silenceKeepsTheBaudRateAndHasNoDeadline() {
    var bench = Self.listening()
    _ = bench.take()
    for _ in 0..<100 {
      bench.received(0, 0)
      bench.advance(seconds: 3600)
      #expect(bench.dialogue.nextTimeout == nil)
    }
    #expect(bench.take() == [])
  }

  @Test func slowGarbageEndsABaudRateOnlyAtTheDeadline() {
    var bench = Self.listening()
    bench.received(10, 0)
    #expect(bench.dialogue.nextTimeout == .zero + .milliseconds(2500))
    bench.advance(milliseconds: 2499)
    #expect(bench.dialogue.speed == 9600)
    bench.advance(milliseconds: 1)
    #expect(bench.dialogue.speed == 115_200)
    #expect(bench.dialogue.nextTimeout == nil)
  }

  /// One sentence every ten seconds is enough for a receiver.
  @Test func afterOneFrameASecondIsAwaited() {
    var bench = Self.listening()
    bench.received(70, 1)
    bench.advance(seconds: 10)
    bench.received(70, 1)
    #expect(bench.dialogue.provenSpeed == 9600)
  }

  @Test(arguments: [nil, 9600, 115_200, 31_250] as [UInt32?])
  func aRoundTriesEveryBaudRateOnceAndIsReportedOnce(first: UInt32?) {
    let known = first.map { KnownReceiver(speed: $0, identity: .unknown) }
    var bench = Self.listening(known: known)
    for _ in 0..<40 { bench.received(2000, 0) }
    let actions = bench.take()
    let tried = actions.compactMap(\.speed)
    let speeds = Set(Finding.usualSpeeds).union(first.map { [$0] } ?? [])
    #expect(tried.first == first ?? 9600)
    #expect(Set(tried.prefix(speeds.count)) == speeds)
    #expect(tried.count == 41)
    #expect(actions.compactMap(\.notice) == [.garbled(hasSpeed: true)])
    bench.received(200, 2)
    #expect(bench.take().compactMap(\.notice) == [.found(speed: bench.dialogue.speed)])
  }

  @Test func aFixedBaudRateIsNeverChanged() {
    var bench = Self.listening(.fixed(4800))
    for _ in 0..<5 { bench.received(2000, 0) }
    #expect(bench.take() == [.setSpeed(4800), .report(.garbled(hasSpeed: true))])
    bench.received(200, 2)
    #expect(bench.dialogue.provenSpeed == 4800)
    for _ in 0..<5 { bench.received(2000, 0) }
    #expect(bench.dialogue.speed == 4800)
  }

  @Test func aProvenBaudRateIsAbandonedOnlyAfterManyBytesWithoutAFrame() {
    var bench = Self.listening()
    bench.received(140, 2)
    for _ in 0..<100 {
      bench.received(4000, 0)
      bench.received(100, 1)
      #expect(bench.dialogue.state == .running)
    }
    bench.received(4000, 0)
    #expect(bench.dialogue.state == .running)
    bench.received(500, 0)
    #expect(bench.dialogue.state == .finding)
    bench.received(1500, 0)
    #expect(bench.dialogue.speed == 115_200)
  }

  @Test func aPortWithoutABaudRateNeverGetsOne() {
    var bench = Self.listening(hasSpeed: false)
    for _ in 0..<5 { bench.received(2000, 0) }
    #expect(bench.take() == [.report(.garbled(hasSpeed: false))])
    bench.received(200, 2)
    let notices = bench.take().compactMap(\.notice)
    #expect(notices == [.found(speed: nil)])
    #expect(bench.dialogue.provenSpeed == nil)
  }

  @Test func theFoundBaudRateIsSavedOnce() {
    var bench = Self.listening()
    bench.received(2000, 0)
    bench.received(200, 2)
    #expect(
      bench.take().contains(.remember(KnownReceiver(speed: 115_200, identity: .unknown))))
    bench.send(.lost)
    bench.send(.opened(hasSpeed: true))
    bench.received(200, 2)
    #expect(bench.take() == [.setSpeed(115_200), .report(.found(speed: 115_200))])
  }

  @Test func sleepIsNotAttemptedWithoutControl() {
    var bench = Self.listening()
    bench.received(200, 2)
    _ = bench.take()
    bench.send(.request(.asleep(for: .seconds(60))))
    bench.send(.request(.setUp(SetUp(interval: 200))))
    bench.send(.request(.awake))
    #expect(bench.take() == [.report(.doesNotSleep(.notAllowed))])
  }
}
