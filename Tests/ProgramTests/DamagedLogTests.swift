import Database
import Foundation
import Glibc
import Quantities
import Records
import Store
import System
import Testing
import TextSnapshots

/// A log that is damaged after an orderly stop, truncated, or deleted, as a user of the program sees it.
@Suite struct DamagedLogTests {
  static let texts = TextSnapshot("commands")

  /// A log of 3000 locations that was closed in good order.
  private static func fill(_ directory: String) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let options = LogOptions(bootID: "before", clock: { .zero })
    let (log, _) = try LogDatabase.open(
      StorageDirectory(directory, allowVolatile: true), options: options)
    for group in 0..<6 {
      _ = try log.append(
        try (0..<500).map { number in
          let index = group * 500 + number
          let coordinate = try #require(Coordinate(latitude: 52 + Double(index) * 1e-4, longitude: 13))
          return LogRecord(
            moment: Moment(nanoseconds: Int64(index) * 1_000_000_000),
            time: Timestamp(milliseconds: 1_780_000_000_000 + Int64(index) * 1000), timeQuality: .receiver,
            body: .location(LocationRecord(coordinate: coordinate, deviceID: "van")))
        })
    }
    try log.keep("a ledger", as: .energy)
    try log.close()
  }

  private static func flip(_ path: String) throws {
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    let start = bytes.count / 2 / 1024 * 1024
    for offset in start..<(start + 8192) { bytes[offset] ^= 0xFF }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  @Test func commandsReportTheDamageAndTheLoggerSalvagesTheLogAtItsNextStart() throws {
    let bench = try LoggerBench(url: nil)
    try Self.fill(bench.log)
    try Self.flip(bench.database)
    try Connection(path: bench.database).run("UPDATE note SET text = 'another' WHERE key = 'energy'")
    let file = ["--config", bench.scratch.path("config.json5")]
    for words in [["why"] + file, ["why", "--json"] + file, ["replay", bench.log], ["energy"] + file] {
      let outcome = try FaultTests.run(words, in: bench.scratch)
      #expect(outcome.status == 1, "\(words): \(outcome.output)")
      let message = try #require(outcome.errors.line(with: bench.database), "\(words): \(outcome.errors)")
      let remedy = message.components(separatedBy: "; ").last ?? ""
      #expect(remedy == Self.texts.expected("damaged log: remedy", remedy), "\(words): \(message)")
    }
    #expect(FileManager.default.fileExists(atPath: bench.database + ".check"))
    try bench.start()
    #expect(bench.says("\(bench.database).damaged-1"), "\(bench.standardError)")
    // A page of 1 kB holds fewer than 20 of these records, and eight were damaged.
    #expect(eventually(within: .seconds(10)) { bench.times.count > 2840 })
    #expect(!FileManager.default.fileExists(atPath: bench.database + ".check"))
    #expect(bench.stopsInGoodOrder())
    for words in [["why"] + file, ["status"] + file] {
      let outcome = try FaultTests.run(words, in: bench.scratch)
      #expect(outcome.status == 0, "\(words): \(outcome.errors)")
    }
  }

  @Test func theStatusOfADamagedLogFails() throws {
    let bench = try LoggerBench(url: nil)
    try Self.fill(bench.log)
    try bench.start()
    #expect(bench.hasEvent("started"))
    let connection = try Connection(path: bench.database)
    try connection.run("INSERT INTO cursor VALUES ('x', 1, 2, NULL, 0, NULL, 5, 6)")
    let outcome = try FaultTests.run(
      ["status", "--config", bench.scratch.path("config.json5")], in: bench.scratch)
    #expect(outcome.status == 1)
    let message = bench.anonymous(outcome.errors)
    #expect(message == Self.texts.expected("damaged log: status", message))
    #expect(outcome.output.contains("running"), "the status of the logger is shown, too: \(outcome.output)")
    #expect(bench.stopsInGoodOrder())
  }

  @Test func aLogThatIsDeletedWhileTheLoggerRunsIsRecreated() throws {
    let recording = Recording.simulated(epochs: 120)
    let bench = try LoggerBench(url: nil)
    try bench.start()
    FaultTests.play(recording.pieces[..<100], on: bench.feeder)
    #expect(bench.hasStored(100))
    for suffix in ["", "-wal", "-shm"] { #expect(unlink(bench.database + suffix) == 0) }
    FaultTests.play(recording.pieces[100...], on: bench.feeder)
    #expect(bench.hasEvent("log_salvaged"))
    let cause = try #require(bench.events("log_salvaged").first).components(separatedBy: "; ")[0]
    #expect(cause == Self.texts.expected("deleted log: cause", cause))
    #expect(bench.says(cause), "\(bench.standardError)")
    #expect(bench.hasStored(recording.times.count))
    #expect(bench.stopsInGoodOrder())
    #expect(bench.times == recording.times)
  }

  @Test func aMissingWriteAheadLogIsReportedWithABoundOfTheLoss() throws {
    let recording = Recording.simulated(epochs: 100)
    let bench = try LoggerBench(url: nil)
    try bench.start()
    FaultTests.play(recording.pieces[...], on: bench.feeder)
    #expect(bench.hasStored(100))
    bench.kill()
    #expect(unlink(bench.database + "-wal") == 0)
    try bench.start()
    // Reading the log before the program does would create another write-ahead log.
    #expect(bench.says("outrider.db-wal"), "\(bench.standardError)")
    #expect(bench.events("records_missing").count == 1)
    let detail = try #require(bench.events("records_missing").first)
    #expect(detail.contains(" KiB"), "the bound of the loss: \(detail)")
    #expect(bench.stopsInGoodOrder())
  }

  /// As with Ctrl-S on a terminal, or a pipe into a program that hangs.
  @Test(arguments: [false, true])
  func aStalledReaderOfStandardErrorDoesNotBlockTheLogger(isReadAgain: Bool) throws {
    let recording = Recording.simulated(epochs: 200)
    let bench = try LoggerBench(url: nil, extra: "log: { level: \"debug\" },")
    let pipe = Pipe()
    let filler = try #require(Self.fill(pipe))
    defer { close(filler) }
    let logger = Process()
    logger.executableURL = URL(fileURLWithPath: Program.executable)
    logger.arguments = ["run", "--recorded", "--config", bench.scratch.path("config.json5")]
    logger.standardError = pipe.fileHandleForWriting
    logger.standardOutput = pipe.fileHandleForWriting
    logger.standardInput = FileHandle.nullDevice
    try logger.run()
    defer { kill(logger.processIdentifier, SIGKILL) }
    FaultTests.play(recording.pieces[...], on: bench.feeder)
    #expect(bench.hasStored(recording.times.count))
    #expect(fcntl(pipe.fileHandleForWriting.fileDescriptor, F_GETFL) & O_NONBLOCK == 0, "shared with others")
    // An unread pipe does not delay the stop either.
    if !isReadAgain {
      kill(logger.processIdentifier, SIGTERM)
      #expect(eventually(within: .seconds(5)) { !logger.isRunning })
      logger.waitUntilExit()
      #expect(logger.terminationStatus == 0)
      #expect(bench.times == recording.times)
      return
    }
    // The reader is back: the next line reports the number of missing lines.
    let reader = pipe.fileHandleForReading.fileDescriptor
    var room = [UInt8](repeating: 0, count: 65_536)
    #expect(read(reader, &room, room.count) > 0)
    kill(logger.processIdentifier, SIGTERM)
    #expect(eventually(within: .seconds(5)) { !logger.isRunning })
    logger.waitUntilExit()
    #expect(logger.terminationStatus == 0)
    #expect(fcntl(reader, F_SETFL, O_NONBLOCK) == 0)
    let count = read(reader, &room, room.count)
    let text = String(decoding: room.prefix(max(0, count)), as: UTF8.self)
    let warning = try #require(text.line(with: "warning: ", " lines "), "\(text)").replacing(
      /[0-9]+/, with: "N")
    #expect(warning == Self.texts.expected("dropped lines", warning))
    #expect(bench.times == recording.times)
  }

  /// Fills a pipe through a file description of its own, which it returns.
  private static func fill(_ pipe: Pipe) -> Int32? {
    let own = open(
      "/proc/self/fd/\(pipe.fileHandleForWriting.fileDescriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard own >= 0 else { return nil }
    let bytes = [UInt8](repeating: UInt8(ascii: "."), count: 4096)
    while write(own, bytes, bytes.count) > 0 {}
    return own
  }
}
