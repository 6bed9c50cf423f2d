import Quantities
import Simulation

/// What happens to the simulated device and its server, by the second.
struct DemoSchedule: Equatable, Sendable {
  /// One event outside the logger.
  enum Event: Equatable, Sendable {
    /// A person starts a trip in this mode.
    case tripStarts(mode: String)
    case vehicleStops, vehicleStarts
    case receptionEnds, receptionReturns
    case serverFails, serverRecovers
  }

  /// A line of the schedule.
  struct Step: Equatable, Sendable {
    /// Seconds since the start, or since the start of the period.
    var second: Int
    var event: Event
    /// The line that the demo prints.
    var text: String

    init(_ second: Int, _ event: Event, _ text: String) {
      (self.second, self.event, self.text) = (second, event, text)
    }
  }

  /// The steps in order of their time.
  let steps: [Step]
  /// Seconds after which the steps begin again; nil if they do not.
  let period: Int?

  /// The five minutes of the demo. The vehicle drives at the beginning and at the end.
  static let live = DemoSchedule(
    steps: [
      Step(20, .tripStarts(mode: "car"), "a trip is started by hand, as on the page"),
      Step(45, .receptionEnds, "the car enters a tunnel: no reception for 35 s"),
      Step(80, .receptionReturns, "the car leaves the tunnel"),
      Step(95, .serverFails, "the server fails for about a minute: every answer is 503"),
      Step(128, .vehicleStops, "the car parks: the pause ends the trip, and the receiver sleeps"),
      Step(160, .serverRecovers, "the server works again: the queue is sent with the next attempt"),
      Step(280, .vehicleStarts, "the car starts: the accelerometer wakes the receiver"),
    ], period: 300)

  /// An outing of yesterday: a drive with a long tunnel, half an hour at a place, and the way back.
  static let yesterday = DemoSchedule(
    steps: [
      Step(240, .receptionEnds, "tunnel"), Step(400, .receptionReturns, "end of the tunnel"),
      Step(600, .vehicleStops, "arrival"), Step(2400, .vehicleStarts, "departure"),
      Step(2880, .vehicleStops, "return"),
    ], period: nil)

  /// Seconds that the outing of yesterday takes, with the stop that ends its last trip.
  static let yesterdaysLength = 3360

  /// The step that follows a number of steps since the start, with its second since the start; nil after the last one.
  func step(_ index: Int) -> (step: Step, second: Int)? {
    guard index >= 0, !steps.isEmpty else { return nil }
    guard let period else { return index < steps.count ? (steps[index], steps[index].second) : nil }
    let step = steps[index % steps.count]
    return (step, index / steps.count * period + step.second)
  }

  /// The seconds at which the vehicle stands.
  var halts: CityRoute.Halts {
    var spans: [Range<Double>] = []
    var stopped: Double?
    for step in steps {
      switch step.event {
      case .vehicleStops: stopped = Double(step.second)
      case .vehicleStarts:
        if let from = stopped { spans.append(from..<Double(step.second)) }
        stopped = nil
      default: break
      }
    }
    if let stopped { spans.append(stopped..<Double(period ?? .max)) }
    return CityRoute.Halts(spans, period: period.map(Double.init))
  }

  /// The acceleration in the vehicle.
  func acceleration(from start: Moment) -> AccelerationTrack {
    var activities: [(from: Double, activity: AccelerationTrack.Activity)] = [(0, .driving)]
    for span in halts.spans {
      activities += [(span.lowerBound, .stationary), (span.upperBound, .driving)]
    }
    var track = AccelerationTrack(activities, seed: 1)
    track.start = start
    track.period = period.map(Double.init)
    return track
  }
}
