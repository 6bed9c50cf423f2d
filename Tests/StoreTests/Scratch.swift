import Foundation
import Quantities
import Records
import Testing

@testable import Store

/// A temporary directory for one test, deleted with the value.
final class Scratch {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "outrider-store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func directory() throws -> StorageDirectory { try StorageDirectory(path, allowVolatile: true) }

  func open(boot: String = "boot-a", idFloor: Int64 = 0) throws -> (log: LogDatabase, report: OpeningReport) {
    try LogDatabase.open(try directory(), options: .test(boot: boot), idFloor: idFloor)
  }

  var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  /// A copy of the current files, as a power cut would leave them.
  func copy() throws -> Scratch {
    let copy = try Scratch()
    for name in files {
      try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(copy.path)/\(name)")
    }
    return copy
  }

  func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
  }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
  }
}

extension LogOptions {
  static func test(boot: String = "boot-a") -> LogOptions {
    LogOptions(bootID: boot, clock: { Moment(nanoseconds: 77_000_000_000) })
  }
}

/// A location whose content is derived from its number, 0..<100 000.
func fix(_ number: Int, dated: Bool = true, wifi: String = "") -> LogRecord {
  let offset = Double(number % 100_000) * 1e-7
  guard let coordinate = Coordinate(latitude: 52 + offset, longitude: 13 - offset) else {
    preconditionFailure("52° and 13° lie on the earth")
  }
  var location = LocationRecord(coordinate: coordinate, deviceID: "van")
  location.altitudeMillimetres = 34_000 + Int32(number % 1000)
  location.speedMillimetresPerSecond = Int32(number % 30_000)
  location.courseMillidegrees = Int32(number % 360_000)
  location.horizontalAccuracyMillimetres = 2500
  location.accuracySource = .receiver
  location.satellitesUsed = 11
  location.motion = [.driving]
  location.batteryState = .unplugged
  location.batteryPercent = 80
  location.wifi = wifi
  return LogRecord(
    moment: Moment(nanoseconds: Int64(number) * 1_000_000_000),
    time: dated ? Timestamp(milliseconds: 1_780_000_000_000 + Int64(number) * 1000) : nil,
    timeQuality: dated ? .receiver : .none, body: .location(location))
}

func event(_ kind: EventKind, number: Int = 0, dated: Bool = true) -> LogRecord {
  LogRecord(
    moment: Moment(nanoseconds: Int64(number) * 1_000_000_000),
    time: dated ? Timestamp(milliseconds: 1_780_000_000_000 + Int64(number) * 1000) : nil,
    timeQuality: dated ? .receiver : .none, body: .event(EventRecord(kind, detail: "d\(number)", value: 7)))
}

extension StoreAnswer {
  static func committed(_ ids: ClosedRange<Int64>, queued: Int) -> StoreAnswer {
    .committed(AppendedGroup(ids: RecordID(ids.lowerBound)...RecordID(ids.upperBound), queued: queued))
  }
}

extension LogDatabase {
  /// The next batch, for tests that expect no damage.
  func batch(_ destination: String = "home", size: Int = 5) throws -> Batch? {
    var damaged: [RecordID] = []
    let batch = try batch(for: destination, BatchRequest(size: size), damaged: &damaged)
    #expect(damaged.isEmpty)
    return batch
  }

  func acknowledge(_ batch: Batch, _ destination: String = "home") throws {
    try acknowledge(destination, through: batch.through, late: batch.isLate, newBatchSize: nil)
  }
}

extension LogStatus {
  /// What the status of the writer has, too.
  var withoutNewest: LogStatus {
    var status = self
    (status.newestLocation, status.newestEvent) = (nil, nil)
    return status
  }
}

extension Batch {
  var ids: [Int64] { records.map(\.id.rawValue) }
}

/// The error that `body` throws; nil if it throws none, or one of another type.
func thrown<Failure: Error>(_: Failure.Type, _ body: () throws -> Void) -> Failure? {
  do {
    try body()
    return nil
  } catch { return error as? Failure }
}
