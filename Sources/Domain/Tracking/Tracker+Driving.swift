import Quantities
import Records

/// Turns overspeed, idling and tow into events.
extension Tracker {
  mutating func act(on outcomes: [DrivingWatches.Outcome], now: Moment) -> [TrackerAction] {
    guard !outcomes.isEmpty else { return [] }
    positions.needsSaving = true
    return outcomes.map { keep(event(of: $0), now: now) } + save(now: now)
  }

  /// Creates the event of an outcome. The distance is omitted if it starts or ends in a privacy zone.
  private func event(of outcome: DrivingWatches.Outcome) -> EventRecord {
    guard case .towed(let alarm) = outcome, alarm.metres != nil,
      positions.isHidden || driving?.tow?.position.map(positions.hides) ?? false
    else { return EventRecord(outcome) }
    return EventRecord(.towed, [.cause: "left"])
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
      self.init(.overspeedStarted, [.speed: .thousandths(speed)])
    case .overspeed(.ended(let episode, let duration)):
      self.init(
        .overspeedEnded,
        [.speed: .thousandths(episode.peak), .duration: .seconds(duration), .started: episode.started])
    case .idling(.began(let duration)):
      self.init(.idlingStarted, [.duration: .seconds(duration)])
    case .idling(.ended(let episode, let duration)):
      self.init(.idlingEnded, [.duration: .seconds(duration), .started: episode.started])
    case .towed(let alarm):
      let distance = alarm.metres.flatMap(EventValue.whole)
      self.init(.towed, [.distance: distance, .cause: distance == nil ? "no_fix" : nil])
    }
  }
}

extension DrivingEpisode {
  /// Start of the episode as a field of its end; nil without a date.
  fileprivate var started: EventValue? { time.map { .integer($0.milliseconds) } }
}
