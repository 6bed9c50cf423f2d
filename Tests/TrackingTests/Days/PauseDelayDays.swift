import DaySupport
import Quantities
import Records
import Scheduling
import Testing
import Tracking

/// A pause delay set by the operator keeps the receiver on for longer. The next departure is as fast as without it.
@Suite struct PauseDelayDays {
  struct Case: Sendable, CustomTestStringConvertible {
    var minutes: Int
    var stop: Int
    var testDescription: String { "pause_delay \(minutes) min, a stop of \(stop) min" }
  }

  static let cases: [Case] = [1, 2, 5, 10, 15, 30, 60].flatMap { minutes in
    [40, 90, 240].compactMap { stop in stop > minutes ? Case(minutes: minutes, stop: stop) : nil }
  }

  /// Seconds from each of three departures to its first location.
  private func latencies(_ minutes: Int?, stop: Int, _ policy: TrackingPolicy) -> [Double] {
    var policy = policy
    if let minutes {
      policy.pauseDelay = .seconds(60 * minutes)
      policy.motion = policy.motion.obeying(pauseDelay: policy.pauseDelay)
    }
    let day = TrackedDay(TrackedDay.settings(policy))
    day.stop(.seconds(3600))
    return (0..<3).map { _ in
      let departure = day.time
      day.drive(6000, at: 12)
      let first = day.points.first { $0.time > departure + .seconds(2) && $0.location.motion != .stationary }
      day.stop(.seconds(60 * stop))
      return first.map { ($0.time - departure).inSeconds } ?? .infinity
    }
  }

  @Test(arguments: cases)
  func aDepartureAfterALongPauseDelayIsAsFastAsWithoutOne(_ test: Case) {
    for policy in [TrackingPolicy.high, .within(metres: 20)] {
      let usual = latencies(nil, stop: test.stop, policy)
      let delayed = latencies(test.minutes, stop: test.stop, policy)
      for (usual, delayed) in zip(usual, delayed) {
        #expect(delayed <= usual + 3, "\(delayed) s instead of \(usual) s")
      }
    }
  }
}
