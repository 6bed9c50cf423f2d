import LocalAPI
import Quantities

// What the clients of the event stream get.
extension Logger {
  /// Gives the publisher access to what it renders.
  func connectStream() {
    publisher.outputs = StreamPublisher.Outputs(
      status: { [unowned self] in status },
      tracker: { [unowned self] now in
        TrackerMessage(tracker: receiver.trackerReport(now: now), motion: motionReport(now: now))
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

  /// Publishes to the clients of a stream, and lets the receiver report its satellites while one shows them.
  func publish(to stream: EventStream) {
    publisher.outputs.publish = { stream.publish($0) }
    stream.outputs.clientsChanged = { [weak self, weak stream] in
      guard let self, let stream, !isStopped else { return }
      let now = context.loop.now
      publisher.follow(hasClients: stream.hasClients, now: now)
      receiver.showSatellites(stream.wantsSky, now: now)
      receiver.showLines(stream.wantsRaw)
      receiver.showLive(stream.wantsLive)
    }
  }
}
