import LocalAPI
import Quantities

// What the clients of the event stream get.
extension Logger {
  /// Gives the publisher access to what it renders.
  func connectStream() {
    serving.publisher.outputs = StreamPublisher.Outputs(
      status: { [unowned self] in status },
      tracker: { [unowned self] now in
        TrackerMessage(tracker: receiver.trackerReport(now: now), motion: motionReport(now: now))
      },
      trackerMark: { [unowned self] in
        TrackerMark(
          state: receiver.reportedState, since: tracking.tracker.summary.receiverStateSince,
          motionSince: tracking.tracker.summary.motionSince, motion: sensors.detectedMotion?.states,
          isPrivate: tracking.tracker.privacy.isHidden, hasFault: receiver.fault != nil)
      },
      destinations: { [unowned self] now in
        context.configuration.destinations.map(\.name).sorted().map { delivery.report($0, now: now) }
      },
      trip: { [unowned self] in
        guard case .done(let json) = trip(.status) else { return [] }
        return Array(json.utf8)
      },
      inspectLog: { [unowned self] in log.inspect(now: context.loop.now) })
  }

  /// Publishes to the clients of a stream.
  func publish(to stream: EventStream) {
    serving.publisher.outputs.publish = { stream.publish($0) }
    stream.outputs.clientsChanged = { [weak self, weak stream] in
      guard let self, let stream, !isStopped else { return }
      serving.publisher.follow(hasClients: stream.hasClients, now: context.loop.now)
      followWatchers()
    }
  }

  /// Lets the receiver report its satellites and messages while a client of the stream or of gpsd's protocol shows them.
  func followWatchers() {
    receiver.showSatellites(stream?.wantsSky ?? false || serving.share.wantsSatellites, now: context.loop.now)
    receiver.showLines(stream?.wantsRaw ?? false || serving.share.wantsSentences)
    receiver.showLive(stream?.wantsLive ?? false)
  }
}
