import Quantities
import Records

/// Overspeed, idling and tow become events.
extension Tracker {
  mutating func act(on outcomes: [DrivingWatches.Outcome], now: Moment) -> [TrackerAction] {
    guard !outcomes.isEmpty else { return [] }
    places.needsSaving = true
    return outcomes.map { keep(event(of: $0), now: now) } + save(now: now)
  }

  /// No distance is told from a place that nobody is told of.
  private func event(of outcome: DrivingWatches.Outcome) -> EventRecord {
    guard case .towed(let alarm) = outcome, alarm.metres != nil,
      places.isHidden || driving?.tow?.place.map(places.hides) ?? false
    else { return EventRecord(outcome) }
    return EventRecord(.towed, detail: "the ignition is off, and it left the place of parking")
  }

  mutating func drivingTimeout(now: Moment) -> [TrackerAction] {
    guard let due = driving?.nextTimeout, now >= due else { return [] }
    return act(on: driving?.handleTimeout(at: clock.timestamp(at: now), now: now) ?? [], now: now)
  }
}

extension EventRecord {
  init(_ outcome: DrivingWatches.Outcome) {
    switch outcome {
    case .overspeed(.began(let speed)):
      self.init(.overspeedStarted, detail: Self.kilometres(speed), value: Self.millimetres(speed))
    case .overspeed(.ended(let episode, let duration)):
      let seconds = Int64(duration.inSeconds)
      self.init(
        .overspeedEnded, detail: "\(Self.kilometres(episode.peak)) at most, for \(seconds) s\(episode.since)",
        value: seconds)
    case .idling(.began(let duration)):
      let seconds = Int64(duration.inSeconds)
      self.init(
        .idlingStarted, detail: "the engine is on for \(seconds) s, and nothing moves", value: seconds)
    case .idling(.ended(let episode, let duration)):
      let seconds = Int64(duration.inSeconds)
      self.init(.idlingEnded, detail: "after \(seconds) s\(episode.since)", value: seconds)
    case .towed(let alarm):
      let metres = alarm.metres.flatMap(Self.whole)
      self.init(
        .towed,
        detail: metres.map { "the ignition is off; \($0) m from the place of parking" }
          ?? "the ignition is off, it moves, and no fix tells where", value: metres)
    }
  }

  private static func whole(_ value: Double) -> Int64? { Int64(exactly: value.rounded()) }
  private static func millimetres(_ metres: Double) -> Int64? { whole(metres * 1000) }
  private static func kilometres(_ speed: Double) -> String { "\(whole(speed * 3.6) ?? 0) km/h" }
}

extension DrivingEpisode {
  /// Which beginning an end belongs to.
  fileprivate var since: String { time.map { ", since \($0.iso8601())" } ?? "" }
}
