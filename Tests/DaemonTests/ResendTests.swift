import Foundation
import Quantities
import TestSupport
import Testing

@testable import Daemon

/// Repeated batches of a moving logger whose server rejects for a while, also after a restart and after the end of the trip.
@Suite struct ResendTests {
  @Test(arguments: [false, true])
  func theTripIsInEveryRequestUntilItsEnd(restarts: Bool) throws {
    let drive = try ResendDrive(batchSize: 200)
    defer { drive.stop() }
    try drive.drive(seconds: 3)
    try drive.send()
    let before = drive.seen.count
    drive.refusal = .answer(503)
    try drive.trip(.start(mode: "car"))
    try drive.drive(seconds: 4)
    for _ in 0..<3 { try drive.send() }
    if restarts { try drive.restart() }
    try drive.send()
    let during = drive.seen.count
    try drive.trip(.stop)
    try drive.send()
    if restarts { try drive.restart() }
    try drive.send()
    let retried = drive.seen.count
    try drive.drive(seconds: 2)
    try drive.deliverEverything()

    let seen = drive.seen
    #expect(before >= 1 && during - before >= 4 && retried - during >= 2 && seen.count > retried)
    for (number, one) in seen.enumerated() {
      #expect((one.request.trip != nil) == one.isInTrip, "request \(number + 1) of \(seen.count)")
      #expect(one.isInTrip == (before..<during).contains(number))
    }
    let trips = seen.compactMap(\.request.trip)
    #expect(trips.allSatisfy { $0["mode"] as? String == "car" })
    #expect(Set(trips.compactMap { $0["start"] as? String }).count == 1)
    #expect(
      Set(seen[before..<retried].map(\.request.locations)).count == 1, "every attempt sends the same batch")
    let taken = seen.filter(\.isTaken).flatMap(\.request.records)
    #expect(Set(taken).count == taken.count)
    #expect(taken.filter { $0.contains(#""type":"trip""#) }.count == 1)
    #expect(
      taken.filter { $0.contains(#""horizontal_accuracy""#) && !$0.contains(#""type":"trip""#) }.count == 9)
  }

  @Test func historicStatsOfARepeatedBatchAreUnchanged() throws {
    let drive = try ResendDrive(
      batchSize: 200, form: ", historic_stats: true",
      settings: ["tracking_stats=true", "main.deferred=100m"])
    defer { drive.stop() }
    drive.refusal = .answer(503)
    try drive.drive(seconds: 20)
    try drive.send()
    let first = try #require(drive.seen.last?.request)
    #expect(!first.records.isEmpty)
    let locations = first.records.filter { $0.contains(#""locations_in_payload""#) }
    #expect(locations.allSatisfy { $0.contains(#""locations_in_payload":\#(locations.count)"#) })
    #expect(
      locations.count >= 19 && locations.allSatisfy { $0.contains(#""deferred":100"#) }, "\(first.records)")
    #expect(locations.allSatisfy { $0.contains(#""significant_change":"disabled""#) })
    try drive.configure([drive.destination("historic_stats: false"), "main.deferred=off"], restarts: true)
    try drive.send()
    #expect(drive.seen.last?.request.locations == first.locations, "the same batch byte for byte")
    try drive.deliverEverything()
    try drive.drive(seconds: 3)
    try drive.send()
    let last = try #require(drive.seen.last?.request)
    #expect(last.records.allSatisfy { !$0.contains(#""deferred""#) && !$0.contains("in_payload\":2") })
  }

  /// The log returns more records than a request contains, and the next batch is loaded before the response.
  @Test func aBacklogInClockMinutesIsSentOnce() throws {
    let drive = try ResendDrive(batchSize: 1000, form: ", profile: \"trace\"")
    defer { drive.stop() }
    drive.refusal = .answer(503)
    try drive.drive(seconds: 420)
    drive.refusal = nil
    for _ in 0..<10 { try drive.send() }
    let taken = drive.seen.filter(\.isTaken)
    #expect(taken.count >= 6, "one request for every complete minute")
    let records = taken.flatMap(\.request.records)
    #expect(Set(records).count == records.count && records.count >= 360)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func aBatchIsRepeatedByteForByteUntilItIsAcknowledged(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let drive = try ResendDrive(batchSize: 5)
    defer { drive.stop() }
    let refusals: [ScriptedServer.Reply?] = [
      nil, .answer(503), .answer(200, body: "[]"), .close, .rawThenReset("HTTP/1.1 200 OK\r\n"), .answer(401),
    ]
    var restarts = 0
    try drive.drive(seconds: 1)
    for _ in 0..<40 {
      drive.refusal = refusals.randomElement(using: &random) ?? nil
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: try drive.drive(seconds: Int64.random(in: 1...7, using: &random))
      case 4..<7: try drive.send()
      case 7..<9:
        restarts += 1
        try drive.restart()
      default:
        // Two trips in the same second would be equal records.
        try drive.drive(seconds: 1)
        let isRunning = drive.logger?.tracking.tracker.summary.isTripRunning == true
        try drive.trip(isRunning ? .stop : .start(mode: "bicycle"))
      }
    }
    try drive.deliverEverything()

    var batches: [String: Set<String>] = [:]
    for one in drive.seen {
      batches[one.request.records.first ?? "", default: []].insert(one.request.locations)
    }
    #expect(batches.values.allSatisfy { $0.count == 1 }, "a batch has changed")
    #expect(drive.seen.allSatisfy { ($0.request.trip != nil) == $0.isInTrip })
    let taken = drive.seen.filter(\.isTaken).flatMap(\.request.records)
    #expect(Set(taken).count == taken.count, "an accepted record was sent again")
    #expect(Set(taken) == Set(drive.seen.flatMap(\.request.records)), "a record is lost")
    #expect(restarts > 2 && drive.seen.contains { !$0.isTaken } && taken.count > 30)
  }

  /// The times in `locations` of a request, which identify a batch in any form.
  static func times(_ request: SentRequest) -> [Substring] {
    request.locations.split(separator: #""timestamp":""#).dropFirst().map { $0.prefix(20) }
  }

  @Test(arguments: [false, true])
  func aBatchKeepsTheFormOfItsFirstRequestAndLaterOnesHaveTheNewOne(restarts: Bool) throws {
    let drive = try ResendDrive(batchSize: 5)
    defer { drive.stop() }
    drive.refusal = .answer(503)
    try drive.drive(seconds: 23)
    try drive.send()
    let first = try #require(drive.seen.last?.request)
    // Each one changes the content of every record.
    for settings in [
      #"profile: "wayfinder""#, #"profile: "gpslogger""#, "whole_speed: true", #"profile: "gpslogger""#,
    ] {
      try drive.configure([drive.destination(settings)], restarts: restarts)
      let before = drive.seen.count
      try drive.send()
      #expect(
        drive.seen.count > before && drive.seen.last?.request.locations == first.locations, "\(settings)")
    }
    // The next batch is sent once in this form and rejected.
    drive.refusal = nil
    try drive.configure(["main.batch_size=4"], restarts: false)
    try drive.deliverEverything()
    drive.refusal = .answer(503)
    try drive.drive(seconds: 9)
    try drive.send()
    let second = try #require(drive.seen.last?.request.locations)
    try drive.configure(["unique_id=true", drive.destination("whole_speed: true")], restarts: restarts)
    try drive.send()
    #expect(drive.seen.last?.request.locations == second)
    try drive.restart()
    try drive.deliverEverything()

    let batches = Dictionary(grouping: drive.seen.map(\.request)) { Self.times($0) }
    #expect(batches.values.allSatisfy { Set($0.map(\.locations)).count == 1 }, "a batch has changed its form")
    let taken = drive.seen.filter(\.isTaken).flatMap { Self.times($0.request) }
    #expect(Set(taken).count == 32 && taken.count == 32)
    #expect(!first.locations.contains("deferred") && second.contains("deferred"))
    let last = try #require(drive.seen.last?.request.locations)
    #expect(!last.contains("deferred"), "a batch that was never sent has the new form")
  }

  @Test(arguments: [false, true])
  func recordsThatWereNeverSentHaveTheNewForm(restarts: Bool) throws {
    let drive = try ResendDrive(batchSize: 200)
    defer { drive.stop() }
    try drive.drive(seconds: 1)
    try drive.send()
    try drive.drive(seconds: 5)
    let sent = drive.seen.count
    try drive.configure([drive.destination(#"profile: "gpslogger""#)], restarts: restarts)
    try drive.deliverEverything()
    let later = drive.seen.dropFirst(sent).map(\.request.locations)
    #expect(!later.isEmpty && later.allSatisfy { $0.contains("deferred") })
  }

  /// The sent batch spans several clock minutes. `batchSize` decides if its boundary follows from its size or was stored.
  @Test(arguments: [80, 200], [false, true])
  func aSentBatchKeepsItsBoundaryUnderAProfileWithClockMinutes(batchSize: Int, restarts: Bool) throws {
    let drive = try ResendDrive(batchSize: batchSize)
    defer { drive.stop() }
    drive.refusal = .answer(503)
    try drive.drive(seconds: 130)
    try drive.send()
    let first = try #require(drive.seen.last?.request)
    #expect(first.records.count == min(batchSize, 130))
    for profile in ["trace", "trace_hourly", "trace"] {
      try drive.configure([drive.destination("profile: \"\(profile)\"")], restarts: restarts)
      let before = drive.seen.count
      try drive.send()
      #expect(drive.seen.count > before, "\(profile)")
      #expect(
        drive.seen.dropFirst(before).allSatisfy { $0.request.locations == first.locations }, "\(profile)")
    }
    try drive.drive(seconds: 120)
    drive.refusal = nil
    for _ in 0..<10 { try drive.send() }
    let taken = drive.seen.filter(\.isTaken).map(\.request)
    #expect(taken.first?.locations == first.locations)
    let later = taken.dropFirst().map { Set(Self.times($0).map { $0.dropLast(4) }) }
    #expect(later.count >= 2 && later.allSatisfy { $0.count == 1 }, "a clock minute a request: \(later)")
  }

  @Test func aSentBatchKeepsItsBoundaryWithASwitchedRadio() throws {
    let drive = try ResendDrive(
      batchSize: 80, settings: ["network.up=/bin/true", "network.down=/bin/true"])
    defer { drive.stop() }
    drive.refusal = .answer(503)
    try drive.drive(seconds: 130)
    try drive.send()
    let first = try #require(drive.seen.last?.request)
    #expect(first.records.count == 80)
    try drive.configure([drive.destination(#"profile: "trace""#)], restarts: true)
    let before = drive.seen.count
    try drive.send()
    #expect(drive.logger?.delivery.radio != nil && drive.seen.count > before)
    #expect(drive.seen.dropFirst(before).allSatisfy { $0.request.locations == first.locations })
  }

  /// The form of the batch is lost, but not its boundary.
  @Test func aStoredBatchBoundaryIsKeptWithoutItsForm() throws {
    let drive = try ResendDrive(batchSize: 200)
    defer { drive.stop() }
    drive.refusal = .answer(503)
    try drive.drive(seconds: 130)
    try drive.send()
    let first = try #require(drive.seen.last?.request)
    let trace = drive.destination(#"profile: "trace""#)
    try drive.configure([trace], restarts: true, forgets: true)
    let before = drive.seen.count
    try drive.send()
    #expect(drive.seen.count > before)
    #expect(drive.seen.dropFirst(before).allSatisfy { Self.times($0.request) == Self.times(first) })
  }

  @Test func theFirstBatchHasTheConfiguredSize() throws {
    let drive = try ResendDrive(batchSize: 50, form: ", batch_size: 7")
    defer { drive.stop() }
    try drive.drive(seconds: 20)
    try drive.send()
    #expect(drive.seen.first?.request.records.count == 7)
    #expect(drive.seen.allSatisfy { $0.request.records.count <= 7 })
  }

  @Test func deliveryCountsContinueWhenZonesChange() throws {
    let drive = try ResendDrive(batchSize: 5)
    defer { drive.stop() }
    try drive.drive(seconds: 13)
    try drive.deliverEverything()
    let before = try #require(drive.logger?.status.destinations.first)
    #expect(before.delivered == 13 && before.acknowledged_id != nil)
    let zone = #"privacy_zones=[{ name: "far", latitude: 10, longitude: 13.4, radius: "100m" }]"#
    try drive.configure([zone], restarts: false)
    #expect(drive.logger?.status.destinations.first?.delivered == 13)
    let id = drive.logger?.status.destinations.first?.acknowledged_id
    #expect(id.map { $0 >= before.acknowledged_id ?? 0 } == true, "\(id ?? -1)")
    try drive.drive(seconds: 4)
    try drive.deliverEverything()
    #expect(drive.logger?.status.destinations.first?.delivered == 17)
  }

  /// Privacy takes precedence over identical bytes.
  @Test(arguments: [false, true])
  func positionsInALaterPrivacyZoneAreNotSentAgain(restarts: Bool) throws {
    let drive = try ResendDrive(batchSize: 200)
    defer { drive.stop() }
    try drive.drive(seconds: 1)
    try drive.send()
    drive.refusal = .answer(503)
    // 1 m/s to the north.
    try drive.drive(seconds: 200)
    try drive.send()
    let whole = try #require(drive.seen.last?.request)
    let zone = #"privacy_zones=[{ name: "home", latitude: 52.5, longitude: 13.4, radius: "100m" }]"#
    try drive.configure([zone], restarts: restarts)
    try drive.send()
    let remainder = try #require(drive.seen.last?.request)
    #expect((20...150).contains(remainder.records.count) && remainder.records.count < whole.records.count)
    #expect(Set(remainder.records).isSubset(of: Set(whole.records)))
    #expect(
      whole.records.suffix(remainder.records.count) == remainder.records[...],
      "the records outside are unchanged")
    let everywhere = #"privacy_zones=[{ name: "all", latitude: 52.5, longitude: 13.4, radius: "100km" }]"#
    try drive.configure([everywhere], restarts: restarts)
    let count = drive.seen.count
    try drive.deliverEverything()
    #expect(drive.seen.count == count, "the queue is empty")
  }
}
