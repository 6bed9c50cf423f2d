import GNSSProtocol
import Quantities
import Scheduling
import Testing

@Suite struct SettlingTests {
  private func fix(_ accuracy: Double?) -> Fix {
    var fix = Fix()
    fix.kind = .threeDimensional
    fix.horizontalAccuracy = accuracy
    return fix
  }

  /// Passes one accuracy per second and returns the time and kind of the end.
  private func run(_ accuracies: [Double?], wanted: Double = 5, limit: Int64 = 10) -> (
    Int, FixSettling.Answer
  ) {
    var settling = FixSettling(accuracy: wanted, limit: .seconds(limit))
    for (second, accuracy) in accuracies.enumerated() {
      let answer = settling.handle(fix(accuracy), now: .zero + .seconds(second))
      if answer != .wait { return (second, answer) }
    }
    return (accuracies.count, .wait)
  }

  @Test func settlingEndsAtTheDesiredAccuracy() {
    #expect(run([20, 12, 7, 5, 4]) == (3, .settled))
    #expect(run([4]) == (0, .settled))
  }

  @Test func settlingEndsWhenAccuracyStopsImproving() {
    #expect(run([20, 15, 14.9, 14.8, 14.7, 14.6]) == (4, .settled))
    #expect(run([20, 20, 20, 20, 20]) == (3, .settled))
  }

  @Test func settlingEndsAtTheTimeLimit() {
    #expect(run((0..<20).map { 1000 * pow(0.8, $0) }) == (10, .timeLimit))
    #expect(run((0..<20).map { 1000 * pow(0.8, $0) }, limit: 1) == (5, .timeLimit))
    #expect(run((0..<20).map { 1000 * pow(0.8, $0) }, limit: 1_000_000) == (10, .timeLimit))
  }

  @Test(arguments: [nil, .nan, .infinity, -1, 0] as [Double?])
  func unusableAccuraciesWaitForTheTimeLimit(accuracy: Double?) {
    #expect(run(Array(repeating: accuracy, count: 20)) == (10, .timeLimit))
    #expect(run(Array(repeating: 3, count: 20), wanted: .nan) == (3, .settled))
  }

  @Test func theLimitStartsWithTheFirstFixAndTheAnswerIsFinal() {
    var settling = FixSettling(accuracy: 5)
    #expect(settling.handle(Fix(), now: .zero) == .wait && settling.nextTimeout == nil)
    _ = settling.handle(fix(50), now: .zero + .seconds(100))
    #expect(settling.nextTimeout == .zero + .seconds(110))
    #expect(settling.handle(Fix(), now: .zero + .seconds(105)) == .wait)
    #expect(settling.handleTimeout(now: .zero + .seconds(110)) == .timeLimit && settling.nextTimeout == nil)
    #expect(settling.handle(fix(1), now: .zero + .seconds(111)) == .timeLimit)
  }

  private func pow(_ base: Double, _ exponent: Int) -> Double {
    (0..<exponent).reduce(1) { power, _ in power * base }
  }
}
