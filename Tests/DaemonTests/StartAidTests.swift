import GNSSReceiver
import Quantities
import Records
import Testing
@testable import Daemon

@Suite struct StartAidTests {
  let now = Moment.zero + .seconds(1000)
  let utc = Timestamp(milliseconds: 1_774_087_200_000)

  private func record(secondsAgo: Int64, accuracy: Int32? = 5000, altitude: Int32? = 40_000) throws
    -> LogRecord
  {
    var location = LocationRecord(
      coordinate: try #require(Coordinate(latitude: 52.5, longitude: 13.4)), deviceID: "van")
    location.horizontalAccuracyMillimetres = accuracy
    location.altitudeMillimetres = altitude
    return LogRecord(
      moment: now - .seconds(secondsAgo), time: utc + .seconds(-secondsAgo), timeQuality: .receiver,
      body: .location(location))
  }

  @Test func theReceiversTimePrecedesTheSystemTime() {
    let aid = StartAid(
      receiverTime: utc, systemTime: (utc + .seconds(5), .milliseconds(20)), lastLocation: nil,
      isOfThisBoot: false, now: now)
    #expect(aid.time == StartAid.Time(utc: utc, error: .seconds(1), at: now) && aid.knownPosition == nil)
    let other = StartAid(
      receiverTime: nil, systemTime: (utc, .milliseconds(20)), lastLocation: nil, isOfThisBoot: false,
      now: now)
    #expect(other.time == StartAid.Time(utc: utc, error: .milliseconds(20), at: now))
    let none = StartAid(
      receiverTime: nil, systemTime: nil, lastLocation: nil, isOfThisBoot: false, now: now)
    #expect(none == StartAid())
  }

  @Test func aPositionOfThisBootHasItsOwnTime() throws {
    let aid = StartAid(
      receiverTime: nil, systemTime: nil, lastLocation: try record(secondsAgo: 60), isOfThisBoot: true,
      now: now)
    let knownPosition = try #require(aid.knownPosition)
    #expect(
      knownPosition.moment == now - .seconds(60) && knownPosition.error == 150 && knownPosition.altitude == 40
    )
  }

  @Test func theAgeOfAPositionFromAnotherBootFollowsFromUTC() throws {
    let last = try record(secondsAgo: 600, accuracy: nil, altitude: nil)
    let aid = StartAid(
      receiverTime: nil, systemTime: (utc, .zero), lastLocation: last, isOfThisBoot: false, now: now)
    let knownPosition = try #require(aid.knownPosition)
    #expect(
      knownPosition.moment == now - .seconds(600) && knownPosition.error == 100
        && knownPosition.altitude == nil)
    let undated = StartAid(
      receiverTime: nil, systemTime: nil, lastLocation: last, isOfThisBoot: false, now: now)
    #expect(undated.knownPosition == nil)
  }
}
