import Daemon
import Glibc
import Quantities
import Settings
import Store
import SystemLoop

/// The whole way out: the logger brings a filled log to a trivial server on this machine.
enum DeliveryMeasurement {
  private static let records = 100_000
  private static let wanted = 50_000.0

  static func run(in directory: String) throws -> [Measurement] {
    let (socket, port) = try LoopbackServer.listen()
    let listener = Descriptor(owning: socket)
    let server = try ChildProcess.own(["serve"], input: listener.raw)
    defer { server.end() }
    return try [200, 1000].map { size in
      let log = "\(directory)/delivery-\(size)"
      try SampleDrive.fillLog(log, records: records)
      let elapsed = try deliver(log, batchSize: size, to: port)
      return Measurement(
        "delivery, batches of \(size)", Double(records) / elapsed.inSeconds, unit: "points/s",
        reference: wanted, wanted: "1.0",
        note: "\(records) points from starting the logger to the last acknowledgement on disk")
    }
  }

  /// How long the logger needs for the log, from its start until the last acknowledgement is on disk.
  private static func deliver(_ log: String, batchSize: Int, to port: UInt16) throws -> Duration {
    let configuration = try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(log)", "storage.allow_volatile=true", "storage.retention=off",
        "main.batch_size=\(batchSize)", "send_interval=1s", "api.enabled=false", "log.level=error",
        "destinations=[{ name: \"loopback\", kind: \"overland\", url: \"http://127.0.0.1:\(port)/\" }]",
      ],
      fallbacks: Fallbacks(deviceID: "bench", apiSocket: ""))
    let loop = try EventLoop()
    let logger = try Logger(loop: loop, configuration: configuration, journal: Journal(threshold: .error))
    var failure: String?
    logger.onFailure = { message in
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
