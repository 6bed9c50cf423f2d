import Formats
import Foundation
import Quantities
import Records
import TestSupport
import Testing
import Uplink

/// Servers that confirm records and discard them: the records must have the form that they store.
@Suite struct PickyServerTests {
  typealias Bench = DeliveryTests.Bench

  /// Wayfinder's checks of one location, on the received text.
  static func wayfinderKeeps(_ feature: String) -> Bool {
    guard let time = text("timestamp", of: feature), Timestamp(iso8601: time) != nil,
      let wifi = value("wifi", of: feature), wifi.hasPrefix("\""),
      let state = text("battery_state", of: feature),
      ["unknown", "charging", "full", "unplugged"].contains(state),
      let battery = number("battery_level", of: feature, decimals: 2), (0...1).contains(battery)
    else { return false }
    let whole = ["altitude", "speed", "course", "horizontal_accuracy", "vertical_accuracy"]
    let fine = ["speed_accuracy", "course_accuracy"]
    let words =
      value("motion", of: feature)?.dropFirst().split(separator: ",").map { $0.filter(\.isLetter) } ?? ["?"]
    return whole.allSatisfy { number($0, of: feature, decimals: 0) != nil }
      && fine.allSatisfy { number($0, of: feature, decimals: 2).map { $0 < 1000 } ?? false }
      && words.allSatisfy { ["walking", "running", "cycling", "driving", "stationary", ""].contains($0) }
  }

  /// The raw text of a property: a list up to its end, anything else up to the next comma.
  private static func value(_ key: String, of feature: String) -> String? {
    guard let start = feature.range(of: "\"\(key)\":")?.upperBound else { return nil }
    let end: Character = feature[start...].first == "[" ? "]" : ","
    return String(feature[start...].prefix { $0 != end && $0 != "}" })
  }

  private static func text(_ key: String, of feature: String) -> String? {
    value(key, of: feature).map { $0.filter { $0 != "\"" } }
  }

  private static func number(_ key: String, of feature: String, decimals: Int) -> Double? {
    guard let text = value(key, of: feature), !text.contains("e") else { return nil }
    let fraction = text.split(separator: ".").dropFirst().first ?? ""
    return fraction.count <= decimals ? Double(text) : nil
  }

  /// Locations with all kinds of values, any of which may be unknown.
  static func anything(_ count: Int, seed: UInt64) throws -> [StoredRecord] {
    var random = SplitMix64(seed: seed)
    func some(_ range: ClosedRange<Int32>) -> Int32? {
      Int.random(in: 0..<5, using: &random) == 0 ? nil : Int32.random(in: range, using: &random)
    }
    return try (1...Int64(count)).map { id in
      let place = try #require(
        Coordinate(
          latitudeE7: Int32.random(in: -899_999_999...899_999_999, using: &random),
          longitudeE7: Int32.random(in: -1_799_999_999...1_799_999_999, using: &random)))
      var location = LocationRecord(coordinate: place, deviceID: "van")
      location.altitudeMillimetres = some(-500_000...9_000_000)
      location.speedMillimetresPerSecond = some(0...80_000)
      location.courseMillidegrees = some(0...359_999)
      location.horizontalAccuracyMillimetres = some(0...90_000)
      location.verticalAccuracyMillimetres = some(0...90_000)
      location.speedAccuracyMillimetresPerSecond = some(0...2_000_000)
      location.courseAccuracyMillidegrees = some(0...2_000_000)
      location.batteryPercent = some(0...100).map { UInt8($0) }
      location.motion = MotionStates(rawValue: UInt8.random(in: 0...31, using: &random))
      location.wifi = ["", "home", "café 5 GHz"].randomElement(using: &random) ?? ""
      return StoredRecord(
        id: RecordID(id), boot: 1,
        record: LogRecord(
          moment: .zero, time: Timestamp(milliseconds: 1_772_360_102_345 + id * 1000), timeQuality: .receiver,
          body: .location(location)))
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func wayfinderStoresEveryRecordOfItsProfile(seed: UInt64) throws {
    for name in ["wayfinder", "overland"] {
      let bench = try Bench([], records: 1)
      bench.log.records = try Self.anything(200, seed: seed)
      let server = KeepingServer(bench)
      let profile = try #require(OverlandProfile.named(name))
      #expect(try server.serve(bench.delivery(at: { $0.form = .overland(profile) })))
      #expect(server.problems == [] && server.confirmed.count == 200)
      let kept = server.kept.keys.filter(Self.wayfinderKeeps)
      // The checks are effective: the plain form, with decimals and without a charge, is discarded.
      if name == "overland" { #expect(kept.count < 100) } else { #expect(kept.count == 200) }
    }
  }

  @Test(arguments: [
    (400, "location 3 is not valid", "check the server's log"), (401, "invalid token", "check the token"),
    (500, "geometry is null", "check the server's log"),
  ])
  func aBatchRejectedByWayfinderIsReportedAndSentAgain(status: Int, words: String, remedy: String) throws {
    let bench = try Bench([], records: 25)
    let server = KeepingServer(bench)
    server.decide = { number, _ in number < 3 ? .refuse(.answer(status, body: words)) : .confirm }
    let profile = try #require(OverlandProfile.named("wayfinder"))
    #expect(try server.serve(bench.delivery(at: { $0.form = .overland(profile) })))
    #expect(server.problems == [] && server.confirmed.count == 25)
    #expect(bench.server.requests.allSatisfy { $0.headers["authorization"] == "Bearer s3cret" })
    #expect(Set(bench.server.requests.prefix(3).map(\.body)).count == 1)
    let first = try #require(bench.log.reports.first)
    #expect(
      first.hasPrefix("upload home: ") && first.contains(words) && first.contains(remedy), "\(first)")
  }

  /// Compass and Wayfinder store the first of them and confirm both. Neither is changed, delayed or sent again.
  @Test(arguments: ["compass", "wayfinder"])
  func twoRecordsOfOneSecondAreBothSentOnceUnchanged(profile name: String) throws {
    let bench = try Bench([], records: 25)
    let first = try #require(bench.log.records[2].record.time)
    bench.log.records[3].record.time = first + .milliseconds(400)
    let server = KeepingServer(bench)
    let profile = try #require(OverlandProfile.named(name))
    #expect(try server.serve(bench.delivery(at: { $0.form = .overland(profile) })))
    #expect(server.problems == [] && server.confirmed.count == 25 && bench.server.requests.count == 3)
    let second = server.confirmed.keys.filter { $0.contains(#""timestamp":"\#(first.iso8601())""#) }
    #expect(second.count == 2)
    for place in ["52.5000003", "52.5000004"] { #expect(second.contains { $0.contains(place) }) }
    #expect(bench.log.reports.isEmpty)
  }

  // MARK: incognita

  /// Trace's server, which identifies a batch by its first time, its last time and its length.
  final class Incognita {
    private(set) var batches: [String] = []
    private(set) var rows: [String: Int] = [:]
    /// The number of confirmations that are lost.
    var lostAnswers: Set<Int> = []
    private var requests = 0

    func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
      requests += 1
      let features = KeepingServer.pieces(of: request)
      let times = features.compactMap { text("timestamp", of: $0) }
      guard let first = times.first, let last = times.last, times.count == features.count,
        times.allSatisfy({ $0.utf8.count == 20 && $0.hasSuffix("Z") }),
        !features.contains(where: { $0.contains(#""horizontal_accuracy":null"#) })
      else { return .answer(500, body: "broken") }
      let name = "\(first) \(last) \(features.count)"
      if !batches.contains(name) {
        batches.append(name)
        for feature in features { rows[feature, default: 0] += 1 }
      }
      return lostAnswers.contains(requests) ? .close : DeliveryTests.ok
    }
  }

  private static func trace(_ bench: Bench) throws -> Delivery {
    let trace = try #require(OverlandProfile.named("trace"))
    return bench.delivery(at: { $0.form = .overland(trace) }) {
      $0.batchSize = 200
      $0.pacing = .whenDue
    }
  }

  /// The time of the first record is 10:15:03, with two records per second; the minute of the newest is not sent.
  @Test func incognitaDistinguishesBatchesAndRecognizesRetries() throws {
    let bench = try Bench([], records: 474)
    for (index, time) in bench.log.records.map(\.record.time).enumerated() {
      bench.log.records[index].record.time = time.map { $0 + .milliseconds(-500 * Int64(index)) }
    }
    // Despite later fixes the repeated batch keeps its boundary.
    let later = Array(bench.log.records[354...])
    bench.log.records.removeSubrange(354...)
    bench.log.stopsAt = RecordID(354)
    bench.log.retriesAtOnce = true
    let incognita = Incognita()
    incognita.lostAnswers = [1, 2, 5]
    bench.server.answer = { request in
      if bench.server.requests.count == 2 { bench.log.records += later }
      return incognita.answer(request)
    }
    let delivery = try Self.trace(bench)
    delivery.start()
    bench.loop.everyTurn { _ in
      if case .backingOff = delivery.machine.phase { delivery.sendNow() }
    }
    #expect(try bench.loop.runUntilStopped())
    #expect(incognita.batches.count == 3 && Set(incognita.batches).count == 3)
    #expect(incognita.rows.count == 354 && incognita.rows.values.allSatisfy { $0 == 1 })
    #expect(bench.server.requests.count == 6)
    #expect(bench.log.reports.first?.hasPrefix("upload home: http://127.0.0.1:") == true)
  }

  /// incognita responds with 500 to both, always.
  @Test(arguments: ["overland", "trace"])
  func anEmptyListAndAFirstRecordWithoutATimeAreNeverSent(profile name: String) throws {
    let bench = try Bench([], records: 130)
    let incognita = Incognita()
    bench.server.answer = incognita.answer
    for index in 0..<30 { bench.log.records[index].record.body = .event(EventRecord(.started)) }
    let dated = bench.log.records[30].record.time
    bench.log.records[30].record.time = nil
    let profile = try #require(OverlandProfile.named(name))
    let delivery = bench.delivery(at: { $0.form = .overland(profile) }) {
      $0.batchSize = name == "trace" ? 200 : 10
      $0.pacing = name == "trace" ? .whenDue : .fullBatches
    }
    delivery.start()
    delivery.sendNow()
    #expect(bench.log.acknowledged == RecordID(30), "events alone cause no request")
    #expect(delivery.machine.phase == .idle(until: .zero) && bench.server.requests.isEmpty)
    bench.log.records[30].record.time = dated
    bench.log.stopsAt = name == "trace" ? RecordID(117) : nil
    delivery.recordsDurable(count: 1)
    delivery.sendNow()
    #expect(try bench.loop.runUntilStopped())
    #expect(bench.log.reports.isEmpty)
    #expect(incognita.rows.count == (name == "trace" ? 87 : 100))
    let first = bench.server.requests.first.map { KeepingServer.pieces(of: $0).first ?? "" } ?? ""
    #expect(first.contains(#""timestamp":"\#(dated?.iso8601() ?? "?")""#))
  }
}

private func text(_ key: String, of feature: String) -> String? {
  guard let start = feature.range(of: "\"\(key)\":\"")?.upperBound else { return nil }
  return String(feature[start...].prefix { $0 != "\"" })
}
