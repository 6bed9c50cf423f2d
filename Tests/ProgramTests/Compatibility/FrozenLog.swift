import Foundation
import Quantities
import Records
import Testing

import Store

/// Creates a log with every kind of record, with the program and its store.
enum FrozenLog {
  /// Creates `directory` with a log and a settings file: a recorded drive with a trip, settings of an operator and of a
  /// server, then a record of every kind, with every kind of event.
  static func make(at directory: URL) throws {
    let server = try ScriptedServer { number, _ in
      number == 1
        ? .json(#"{"result":"ok","set":{"main":{"batch_size":20},"trip_mode":"car"}}"#) : .ok
    }
    defer { server.stop() }
    let bench = try LoggerBench(url: server.url)
    try bench.start()
    bench.feeder.play(Recording.simulated(epochs: 150).pieces, every: .milliseconds(100))
    let configuration = ["--config", bench.scratch.path("config.json5")]
    try #require(bench.hasStored(20))
    for words in [["trip", "start", "--mode", "car"], ["set", "main.min_time=2s", "device_id=van"]] {
      #expect(try FaultTests.run(words + configuration, in: bench.scratch).status == 0)
    }
    try #require(bench.hasStored(80))
    #expect(try FaultTests.run(["trip", "stop"] + configuration, in: bench.scratch).status == 0)
    #expect(bench.hasEvent("remote_proved"), "\(bench.standardError)")
    #expect(bench.stopsInGoodOrder())
    try append(records(), to: bench.log)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    for name in ["outrider.db", "settings.json"] {
      try FileManager.default.copyItem(
        atPath: "\(bench.log)/\(name)", toPath: directory.appendingPathComponent(name).path)
    }
  }

  private static func append(_ records: [LogRecord], to directory: String) throws {
    let writer = LogWriter(
      directory: directory, allowVolatile: true,
      options: LogOptions(bootID: "boot-of-samples", clock: { .zero }))
    let replies = writer.handle(.append(records, urgent: true)) + writer.handle(.close)
    #expect(
      !replies.contains {
        if case .committed = $0.answer {
          false
        } else if case .opened = $0.answer {
          false
        } else if case .closed = $0.answer {
          false
        } else {
          true
        }
      }, "\(replies)")
  }

  /// 2026-03-01T11:00:00Z.
  private static let start = Timestamp(milliseconds: 1_772_362_800_000)

  private static func records() throws -> [LogRecord] {
    let coordinate = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
    let device = DeviceState(
      deviceID: "van", batteryState: .charging, batteryPercent: 41, wifi: "net \"x\"")
    var full = LocationRecord(coordinate: coordinate, deviceID: "van")
    full.device = device
    full.altitudeMillimetres = 34_500
    full.speedMillimetresPerSecond = 12_345
    full.courseMillidegrees = 271_500
    full.horizontalAccuracyMillimetres = 2500
    full.verticalAccuracyMillimetres = 4100
    full.speedAccuracyMillimetresPerSecond = 300
    full.courseAccuracyMillidegrees = 1500
    full.accuracySource = .receiver
    full.satellitesUsed = 11
    full.motion = [.driving]
    full.trip = .utc(start)
    full.steps = 1234
    full.reasons = [.distance, .angle]
    full.statistics = TrackingStatistics(
      pauses: true, activity: .car, desiredAccuracy: .best, mode: .both)
    var visit = VisitRecord(coordinate: coordinate, arrival: .utc(start), departure: nil, device: device)
    visit.horizontalAccuracyMillimetres = 4000
    visit.radiusMillimetres = 25_000
    var departed = visit
    departed.departure = .utc(start + .seconds(3600))
    var trip = TripRecord(
      mode: .car, start: .utc(start), end: .utc(start + .seconds(600)), durationMilliseconds: 600_000,
      distanceMillimetres: 4_200_000, isManual: true, ending: .asked, device: device)
    trip.startLocation = TripRecord.Location(full, time: .utc(start))
    trip.endLocation = TripRecord.Location(full, time: .utc(start + .seconds(600)))
    trip.steps = 17
    let bodies: [LogRecord.Body] =
      [
        .location(full), .location(LocationRecord(coordinate: coordinate, deviceID: "")), .visit(visit),
        .visit(departed), .trip(trip),
      ] + ActionRecord.Action.allCases.map { .action(ActionRecord($0, at: coordinate, device: device)) }
      + EventKind.allCases.map { .event(EventRecord($0, detail: "of kind \($0.rawValue)", value: 7)) }
    return bodies.enumerated().map { index, body in
      LogRecord(
        moment: Moment(nanoseconds: Int64(index) * 1_000_000_000), time: start + .seconds(index),
        timeQuality: .receiver, body: body)
    }
  }
}
