import Daemon
import EventLoop
import Formats
import Glibc
import HTTPClient
import Quantities
import Records
import Settings
import Store
import System

/// The rate of delivery: the logger sends a filled log to a trivial server on the same host.
enum DeliveryMeasurement {
  private static let records = 100_000

  /// One variant of sending, and its target rate in points per second.
  private struct Variant {
    var batchSize: Int
    var isPacked = false
    var wanted: Double

    var name: String { "delivery, batches of \(batchSize)\(isPacked ? " packed by gzip" : "")" }
  }

  private static let variants = [
    Variant(batchSize: 200, wanted: 150_000), Variant(batchSize: 1000, wanted: 150_000),
    Variant(batchSize: 200, isPacked: true, wanted: 80_000),
  ]

  static func run(in directory: String) throws -> [Measurement] {
    let (socket, port) = try LoopbackServer.listen()
    let listener = Descriptor(owning: socket)
    let server = try ChildProcess.own(["serve"], input: listener.raw)
    defer { server.end() }
    let speeds = try variants.map { variant in
      let log = "\(directory)/delivery-\(variant.batchSize)\(variant.isPacked ? "-packed" : "")"
      try SampleDrive.fillLog(log, records: records)
      let elapsed = try deliver(log, variant, to: port)
      return Measurement(
        variant.name, Double(records) / elapsed.inSeconds, unit: "points/s", reference: variant.wanted,
        wanted: "1.0",
        note: "\(records) points from starting the logger to the last acknowledgement on disk")
    }
    return speeds + [size]
  }

  /// The size of one compressed point in a batch of 200.
  private static var size: Measurement {
    let stored = SampleDrive.records(200).enumerated().map { index, record in
      StoredRecord(id: RecordID(Int64(index) + 1), boot: 1, record: record)
    }
    let packed = GzipBody.packed(OverlandBatch(stored).body())
    return Measurement(
      "point packed by gzip, level \(GzipBody.level)", packed.map { Double($0.count) / 200 }, unit: "B",
      reference: 32, wanted: "at most 1.0", note: "body of a batch of 200, without the head of the request")
  }

  /// The time that the logger needs for the log, from its start until the last acknowledgement is on disk.
  private static func deliver(_ log: String, _ variant: Variant, to port: UInt16) throws -> Duration {
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(log)", "storage.allow_volatile=true", "storage.retention=off",
        "main.batch_size=\(variant.batchSize)", "send_interval=1s", "api.enabled=false", "log.level=error",
        "destinations=[{ name: \"loopback\", kind: \"overland\", url: \"http://127.0.0.1:\(port)/\", "
          + "gzip: \(variant.isPacked) }]",
      ],
      fallbacks: Fallbacks(deviceID: "bench", apiSocket: ""))
    let loop = try EventLoop()
    let logger = try Logger(loop: loop, configuration: configuration, journal: Journal(threshold: .error))
    var failure: String?
    logger.outputs.failed = { message in
      failure = message
      loop.stop()
    }
    loop.everyTurn { [unowned logger] _ in
      if logger.status.destinations.contains(where: { $0.delivered >= records }) { loop.stop() }
    }
    let start = SystemClock.moment()
    logger.start()
    try loop.run()
    let elapsed = SystemClock.moment() - start
    logger.stop()
    if let failure { throw BenchError(failure) }
    let queued = try LogReader(directory: log).status().destinations.map(\.queued)
    guard queued == [0] else { throw BenchError("\(log): queued after the delivery: \(queued)") }
    return elapsed
  }
}
