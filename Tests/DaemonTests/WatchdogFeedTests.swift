import Quantities
import Testing

import Daemon

@Suite struct WatchdogFeedTests {
  static func moment(_ seconds: Int64) -> Moment { .zero + .seconds(seconds) }

  @Test func theWatchdogIsNotifiedIfTheWorkerHasResponded() {
    var feed = WatchdogFeed(interval: .seconds(15), now: .zero)
    #expect(feed.nextWake == WakeWindow(at: .zero))
    #expect(feed.handleTimeout(now: .zero) == [.send(token: 1, urgent: false)])
    #expect(feed.nextWake?.latest == Self.moment(15))
    #expect(feed.workerAnswered(1, now: Self.moment(1)) == [])
    #expect(feed.nextWake?.latest == Self.moment(15), "a response does not change the deadline")
    #expect(feed.handleTimeout(now: Self.moment(14)) == [.feed, .send(token: 2, urgent: false)])
    #expect(feed.nextWake?.latest == Self.moment(29))
  }

  @Test func aHangingWorkerStopsTheNotification() {
    var feed = WatchdogFeed(interval: .seconds(15), now: .zero)
    _ = feed.handleTimeout(now: .zero)
    #expect(feed.handleTimeout(now: Self.moment(15)) == [.send(token: 2, urgent: true)])
    #expect(feed.nextWake == nil)
    for second in 16...100 { #expect(feed.handleTimeout(now: Self.moment(Int64(second))) == []) }
  }

  @Test func aLateResponseNotifiesTheWatchdogImmediately() {
    var feed = WatchdogFeed(interval: .seconds(15), now: .zero)
    _ = feed.handleTimeout(now: .zero)
    _ = feed.handleTimeout(now: Self.moment(15))
    #expect(feed.workerAnswered(1, now: Self.moment(20)) == [], "the earlier token is ignored")
    #expect(feed.workerAnswered(2, now: Self.moment(20)) == [.feed, .send(token: 3, urgent: false)])
    #expect(feed.nextWake?.latest == Self.moment(35))
  }

  @Test func anEarlierTokenIsIgnored() {
    var feed = WatchdogFeed(interval: .seconds(15), now: .zero)
    _ = feed.handleTimeout(now: .zero)
    _ = feed.workerAnswered(1, now: .zero)
    #expect(feed.handleTimeout(now: Self.moment(15)).first == .feed)
    #expect(feed.workerAnswered(1, now: Self.moment(16)) == [])
    #expect(feed.handleTimeout(now: Self.moment(30)) == [.send(token: 3, urgent: true)])
  }

  /// The supervisor allows two intervals, so a worker may take one interval to respond.
  @Test(arguments: [1, 8, 15, 29]) func notificationsAreAtMostAnIntervalAndTheDelayApart(delay: Int64) {
    var feed = WatchdogFeed(interval: .seconds(15), now: .zero)
    var answers: [(at: Moment, token: UInt64)] = []
    var fed = Moment.zero
    for second in 0...600 {
      let now = Self.moment(Int64(second))
      var actions: [WatchdogFeed.Action] = []
      while let answer = answers.first, answer.at <= now {
        actions += feed.workerAnswered(answer.token, now: now)
        answers.removeFirst()
      }
      if let wake = feed.nextWake, wake.latest <= now { actions += feed.handleTimeout(now: now) }
      for action in actions {
        switch action {
        case .send(let token, _): answers.append((now + .seconds(delay), token))
        case .feed:
          #expect(now - fed <= .seconds(15 + delay))
          fed = now
        }
      }
    }
    #expect(Self.moment(600) - fed < .seconds(60))
  }
}
