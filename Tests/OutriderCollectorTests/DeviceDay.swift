import FleetPolicy
import FleetRecords
import FleetStore
import Formats
import Foundation
import PostgreSQL
import PostgreSQLSupport
import Quantities
import Records
import Store
import TestSupport
import Testing
import UploadReader

@testable import outrider_collector

/// The log of a device, and the same records in PostgreSQL after a delivery in the profile `outrider`.
final class DeviceDay {
  static let log = "6b1f6a2e-1111-4222-8333-444455556666"
  /// 2026-11-22T00:00:00Z
  static let midnight = Timestamp(milliseconds: 1_795_305_600_000)

  let directory: String
  let address: String
  let sql: BlockingConnection
  let reader: LogReader

  init(_ records: [LogRecord], device: String = "van-17") throws {
    directory = "/tmp/outrider-day-\(UInt32.random(in: 0...UInt32.max))"
    let (log, _) = try LogDatabase.open(
      try StorageDirectory(directory, allowVolatile: true),
      options: LogOptions(bootID: "boot", clock: { .zero }))
    _ = try log.append(records)
    try log.close()
    reader = try LogReader(directory: directory)
    let server = try PostgresServer.common()
    let name = "day_\(UInt32.random(in: 0...UInt32.max))"
    try BlockingConnection(server.address).run("CREATE DATABASE \(name)")
    address = server.address(of: name)
    sql = try BlockingConnection(address)
    try FleetSchema.migrate(sql)
    try deliver(device)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func deliver(_ device: String) throws {
    _ = try FleetOperations(sql).createDevice(device)
    let number = try #require(try sql.query("SELECT id FROM outrider.device")?.integer(0, 0))
    let bench = try HTTPBench()
    var rules = FleetStoreRules(connections: 1)
    rules.retention = Retention(locationDays: 10_000, eventDays: 10_000, reportDays: 10_000)
    let store = FleetStore(database: address, loop: bench.loop, rules: rules)
    defer { store.stop() }
    #expect(try bench.run { store.isHealthy })
    var profile = try #require(OverlandProfile.named("outrider"))
    profile.logID = Self.log
    let reader = UploadReader { _ in 0 }
    var position = RecordID.zero
    while true {
      let page = try self.reader.records(after: position, limit: 200)
      guard let last = page.last else { break }
      let range = BatchRange(from: RecordID(position.rawValue + 1), through: last.id)
      let body = OverlandBatch(page, of: range, for: profile).locations + Array("}".utf8)
      var outcome: UploadOutcome?
      store.store(try reader.read(body), access: .device(DeviceNumber(Int32(clamping: number)))) {
        outcome = $0
      }
      #expect(try bench.run { outcome != nil })
      guard case .stored(_)? = outcome else {
        Issue.record("\(String(describing: outcome))")
        return
      }
      position = last.id
    }
  }

  /// Runs a command below `fleet`, and returns what it prints.
  @discardableResult
  func run(_ words: String...) throws -> String {
    var output: [String] = []
    _ = try FleetCommand.run(
      (words + ["--database", address])[...], environment: { _ in nil }, print: { output.append($0) })
    return output.joined(separator: "\n")
  }
}

extension DeviceDay {
  /// One location; none beyond the date line.
  static func location(_ seconds: Int, metres: Int = 0, _ change: (inout LocationRecord) -> Void = { _ in })
    -> [LogRecord]
  {
    guard let place = Coordinate(latitudeE7: 525_000_000, longitudeE7: 133_000_000 + Int32(metres) * 148)
    else { return [] }
    var location = LocationRecord(coordinate: place, deviceID: "van-17")
    location.speedMillimetresPerSecond = 5127
    location.altitudeMillimetres = 39_412
    location.horizontalAccuracyMillimetres = 2900
    location.satellitesUsed = 14
    location.batteryPercent = 89
    location.batteryState = .unplugged
    location.motion = .driving
    location.accuracySource = .receiver
    change(&location)
    return [record(seconds, .location(location))]
  }

  static func event(_ seconds: Int, _ kind: EventKind, _ fields: EventFields = [:]) -> LogRecord {
    record(
      seconds,
      .event(EventRecord(kind, detail: "\(kind.rawValue) at \(seconds) s", value: 900, fields: fields)))
  }

  static func record(_ seconds: Int, _ body: LogRecord.Body) -> LogRecord {
    LogRecord(
      moment: Moment(nanoseconds: Int64(seconds) * 1_000_000_000), time: midnight + .seconds(seconds),
      timeQuality: .receiver,
      body: body)
  }
}
