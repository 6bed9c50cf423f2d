import Quantities
import Testing

@Suite struct MomentTests {
  struct Length: Sendable, CustomTestStringConvertible {
    let duration: Duration, nanoseconds: Int64
    var testDescription: String { "\(duration)" }
  }

  static let lengths = [
    Length(duration: .zero, nanoseconds: 0), Length(duration: .nanoseconds(1), nanoseconds: 1),
    Length(duration: .nanoseconds(-1), nanoseconds: -1),
    Length(duration: .milliseconds(1500), nanoseconds: 1_500_000_000),
    Length(duration: .seconds(-86_400), nanoseconds: -86_400_000_000_000),
    Length(duration: .nanoseconds(Int64.max), nanoseconds: .max),
    Length(duration: .nanoseconds(Int64.min), nanoseconds: .min),
  ]

  @Test(arguments: lengths)
  func nanosecondsAreThoseOfTheStandardLibrary(_ length: Length) {
    #expect(Duration(wholeNanoseconds: length.nanoseconds) == length.duration)
    let inRange = length.nanoseconds.magnitude < 9_000_000_000_000_000_000
    #expect(!inRange || length.duration.wholeNanoseconds == length.nanoseconds)
  }

  @Test func fractionsAreTruncatedTowardZero() {
    let attosecond = Duration.nanoseconds(1) / 1_000_000_000
    #expect((Duration.nanoseconds(5) - attosecond).wholeNanoseconds == 4)
    #expect((attosecond - Duration.nanoseconds(5)).wholeNanoseconds == -4)
  }

  @Test func overflowSaturates() {
    #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
    #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
  }

  @Test(arguments: 0..<16)
  func momentsAndDurationsAddUp(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let a = Moment(
        nanoseconds: Int64.random(in: -4_000_000_000_000_000_000...4_000_000_000_000_000_000, using: &random))
      let b = Moment(
        nanoseconds: Int64.random(in: -4_000_000_000_000_000_000...4_000_000_000_000_000_000, using: &random))
      #expect(b + (a - b) == a)
      #expect((a - b).wholeNanoseconds == a.nanoseconds - b.nanoseconds)
      #expect(a - b == .nanoseconds(a.nanoseconds - b.nanoseconds))
    }
  }
}
