import Quantities
import Testing

@testable import Devices

@Suite struct SpeedSearchTests {
  private static func at(_ milliseconds: Int64) -> Moment { .zero + .milliseconds(milliseconds) }

  struct Case: Sendable, CustomTestStringConvertible {
    var promise: String
    /// Bytes and valid frames, heard one second apart.
    var heard: [(bytes: Int, frames: Int)]
    var step: SpeedSearch.Step
    var testDescription: String { promise }
  }

  static let cases = [
    Case(promise: "two frames prove", heard: [(140, 2)], step: .found(9600)),
    Case(promise: "one frame proves nothing", heard: [(70, 1)], step: .listen),
    Case(promise: "two readings with a frame each prove", heard: [(70, 1), (70, 1)], step: .found(9600)),
    Case(promise: "few strange bytes are not enough", heard: [(1499, 0)], step: .listen),
    Case(promise: "many strange bytes rule the speed out", heard: [(1500, 0)], step: .change(to: 115_200)),
    Case(promise: "many bytes add up", heard: [(800, 0), (800, 0)], step: .change(to: 115_200)),
    Case(promise: "noise beside a frame is borne", heard: [(700, 1), (4000, 0)], step: .listen),
    Case(promise: "nothing heard, nothing done", heard: [(0, 0), (0, 0)], step: .listen),
  ]

  @Test(arguments: cases)
  func whatIsHeardDecides(_ test: Case) {
    var search = SpeedSearch()
    var step = SpeedSearch.Step.listen
    for (second, heard) in test.heard.enumerated() {
      step = search.heard(bytes: heard.bytes, validFrames: heard.frames, now: Self.at(Int64(second) * 1000))
    }
    #expect(step == test.step)
  }

  @Test func silenceNeverAdvancesAndHasNoDeadline() {
    var search = SpeedSearch()
    for hour in 0..<100 {
      #expect(search.heard(bytes: 0, validFrames: 0, now: Self.at(Int64(hour) * 3_600_000)) == .listen)
      #expect(search.handleTimeout(now: Self.at(Int64(hour) * 3_600_000)) == .listen)
      #expect(search.nextTimeout == nil)
    }
    #expect(search.speed == 9600)
  }

  @Test func aSlowTrickleOfGarbageIsGivenUpAfterTheDeadlineAndNotBefore() {
    var search = SpeedSearch()
    _ = search.heard(bytes: 10, validFrames: 0, now: .zero)
    #expect(search.nextTimeout == Self.at(2500))
    #expect(search.handleTimeout(now: Self.at(2499)) == .listen)
    #expect(search.handleTimeout(now: Self.at(2500)) == .change(to: 115_200))
    #expect(search.nextTimeout == nil)
  }

  /// One sentence every ten seconds is a receiver too.
  @Test func afterOneFrameTheOtherIsWaitedFor() {
    var search = SpeedSearch()
    #expect(search.heard(bytes: 70, validFrames: 1, now: .zero) == .listen)
    #expect(search.handleTimeout(now: Self.at(10_000)) == .listen)
    #expect(search.heard(bytes: 70, validFrames: 1, now: Self.at(10_000)) == .found(9600))
  }

  @Test(arguments: [nil, 9600, 115_200, 31_250] as [UInt32?])
  func aWholeRoundTriesEachSpeedOnceAndIsGarbled(first: UInt32?) {
    var search = SpeedSearch(first: first)
    var tried = [search.speed]
    while !search.isGarbled {
      if case .change(let speed) = search.heard(bytes: 2000, validFrames: 0, now: .zero) {
        tried.append(speed)
      }
    }
    #expect(tried.first == first ?? 9600)
    #expect(tried.last == tried.first)
    #expect(Set(tried.dropLast()) == Set(SpeedSearch.usualSpeeds + (first.map { [$0] } ?? [])))
    #expect(tried.dropLast().count == Set(tried).count)
    #expect(search.heard(bytes: 200, validFrames: 2, now: .zero) == .found(search.speed))
    #expect(!search.isGarbled)
  }

  @Test func aNamedSpeedIsNeverLeft() {
    var search = SpeedSearch(fixed: 4800)
    for _ in 0..<5 { #expect(search.heard(bytes: 2000, validFrames: 0, now: .zero) == .listen) }
    #expect(search.isGarbled)
    #expect(search.heard(bytes: 200, validFrames: 2, now: .zero) == .found(4800))
    #expect(!search.isGarbled)
  }

  @Test func aProvenSpeedIsGivenUpOnlyForManyBytesWithoutAFrame() {
    var search = SpeedSearch()
    _ = search.heard(bytes: 140, validFrames: 2, now: .zero)
    #expect(search.isProven)
    for _ in 0..<100 {
      #expect(search.heard(bytes: 4000, validFrames: 0, now: .zero) == .listen)
      #expect(search.heard(bytes: 100, validFrames: 1, now: .zero) == .listen)
    }
    #expect(search.heard(bytes: 4000, validFrames: 0, now: .zero) == .listen)
    #expect(search.heard(bytes: 500, validFrames: 0, now: .zero) == .change(to: 115_200))
    #expect(!search.isProven)
  }
}
