import Quantities
import Testing

@testable import Daemon

@Suite struct WatchdogFeedTests {
  static func moment(_ seconds: Int64) -> Moment { .zero + .seconds(seconds) }

  @Test func itIsFedOnlyWhenLoopAndWorkerHaveAnswered() {
    var feed = WatchdogFeed(interval: .seconds(15), now: .zero)
    #expect(feed.nextTimeout == .zero)
    #expect(feed.handleTimeout() == .send(token: 1))
    #expect(feed.nextTimeout == nil)
    #expect(feed.loopAnswered(1, now: Self.moment(1)) == nil)
    #expect(feed.loopAnswered(1, now: Self.moment(2)) == nil)
    #expect(feed.workerAnswered(1, now: Self.moment(3)) == .feed)
    #expect(feed.nextTimeout == Self.moment(18))
    #expect(feed.handleTimeout() == .send(token: 2))
  }

  @Test func aWorkerThatHangsIsNotFed() {
    var feed = WatchdogFeed(interval: .seconds(15), now: .zero)
    #expect(feed.handleTimeout() == .send(token: 1))
    for second in 1...100 { #expect(feed.loopAnswered(1, now: Self.moment(Int64(second))) == nil) }
    #expect(feed.handleTimeout() == nil)
  }

  @Test func anAnswerToAnEarlierTokenEarnsNothing() {
    var feed = WatchdogFeed(interval: .seconds(15), now: .zero)
    _ = feed.handleTimeout()
    _ = feed.loopAnswered(1, now: .zero)
    _ = feed.workerAnswered(1, now: .zero)
    #expect(feed.workerAnswered(1, now: .zero) == nil)
    #expect(feed.handleTimeout() == .send(token: 2))
    _ = feed.loopAnswered(2, now: Self.moment(16))
    #expect(feed.workerAnswered(1, now: Self.moment(16)) == nil)
    #expect(feed.workerAnswered(2, now: Self.moment(17)) == .feed)
  }
}
