import Foundation
import Glibc
import Quantities
import Testing
import TextSnapshots

extension FaultTests {
  /// Faults of the storage medium.
  @Suite struct Storage {
    static let texts = TextSnapshot("commands")
    private static let limiter = "/usr/bin/prlimit"
    private static let canLimit = access(limiter, X_OK) == 0

    /// Limits the size of the files of a running program to `bytes` or `unlimited`.
    ///
    /// It is the soft limit, which can be raised again without privileges.
    private static func limitFiles(of program: Program?, to bytes: String) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: limiter)
      process.arguments = ["--pid", "\(program?.processID ?? 0)", "--fsize=\(bytes):"]
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }

    @Test(
      "records stay in memory while the disk is full, and each is sent once",
      .enabled(if: canLimit, "prlimit is absent: sudo apt-get install util-linux"),
      arguments: [0, 2])
    func fullDisk(countOfChanges: Int) throws {
      let changes = [("5s", "6s"), ("6s", "7s")].prefix(countOfChanges)
      let recording = Recording.simulated(epochs: 400)
      let server = try ScriptedServer { _, _ in .ok }
      defer { server.stop() }
      let bench = try LoggerBench(url: server.url, extra: "main: { batch_size: 50 },")
      try bench.start()
      FaultTests.play(recording.pieces[..<100], on: bench.feeder)
      #expect(bench.hasStored(100))
      try Self.limitFiles(of: bench.program, to: "65536")
      FaultTests.play(recording.pieces[100...], on: bench.feeder)
      #expect(bench.line(with: "error: ", bench.database) != nil, "\(bench.standardError)")
      let log = try FaultTests.status(of: bench)["log"] as? [String: Any]
      #expect(log?["trouble"] as? String != nil)
      #expect(log?["waiting"] as? Int ?? 0 > 0)
      #expect(bench.times == Array(recording.times.prefix(bench.times.count)))

      // Each change restarts the delivery while requested batches are outstanding.
      for change in changes {
        try bench.rewrite { $0.replacingOccurrences(of: change.0, with: change.1) }
        let before = bench.standardError.components(separatedBy: "settings: ").count
        bench.program?.send(SIGHUP)
        #expect(
          eventually(within: .seconds(10)) {
            bench.standardError.components(separatedBy: "settings: ").count > before
          })
      }
      let before = bench.standardError.split(separator: "\n").count
      try Self.limitFiles(of: bench.program, to: "unlimited")
      #expect(bench.hasStored(recording.times.count))
      #expect(bench.hasEvent("storage_recovered"))
      #expect(
        eventually(within: .seconds(20)) {
          bench.standardError.split(separator: "\n").dropFirst(before).contains { $0.hasPrefix("store: ") }
        }, "\(bench.standardError)")
      #expect(
        eventually(within: .seconds(20)) { server.sentTimes.count >= recording.times.count },
        "\(bench.standardError)")
      let later = try FaultTests.status(of: bench)["log"] as? [String: Any]
      #expect(later?["trouble"] == nil)
      #expect(bench.stopsInGoodOrder())
      #expect(bench.times == recording.times)
      #expect(server.sentTimes.sorted() == recording.isoTimes)
      #expect(bench.events("storage_failing").count == 1)
      #expect(bench.events("records_missing").isEmpty)
      #expect(!FileManager.default.fileExists(atPath: bench.database + ".damaged-1"))
    }

    @Test(.enabled(if: canLimit, "prlimit is absent: sudo apt-get install util-linux"))
    func recordsLostAtAStopWithAFullDiskAreCounted() throws {
      let recording = Recording.simulated(epochs: 300)
      let bench = try LoggerBench(url: nil)
      try bench.start()
      FaultTests.play(recording.pieces[..<100], on: bench.feeder)
      #expect(bench.hasStored(100))
      try Self.limitFiles(of: bench.program, to: "65536")
      FaultTests.play(recording.pieces[100...], on: bench.feeder)
      #expect(bench.line(with: "error: ", bench.database) != nil, "\(bench.standardError)")
      let before = bench.standardError.split(separator: "\n").count
      #expect(bench.stopsInGoodOrder())
      #expect(bench.lostRecords(after: before).count == 1, "\(bench.standardError)")
      #expect(bench.times.count >= 100)
    }

    @Test func recordsThatWereNeverWrittenAreCountedAtTheStop() throws {
      let recording = Recording.simulated(epochs: 20)
      let bench = try LoggerBench(url: nil)
      try bench.start(["--set", "storage.directory=\(bench.scratch.path("no/such/place"))"])
      #expect(bench.line(with: "error: ", "no/such/place: mkdir: ") != nil, "\(bench.standardError)")
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      let before = bench.standardError.split(separator: "\n").count
      #expect(bench.stopsInGoodOrder())
      #expect(bench.lostRecords(after: before).count == 1, "\(bench.standardError)")
    }

    @Test func aMissingMediumIsUsedAsSoonAsItAppears() throws {
      let recording = Recording.simulated(epochs: 20)
      let bench = try LoggerBench(url: nil)
      let directory = bench.scratch.path("card/log")
      try bench.start(["--set", "storage.directory=\(directory)"])
      #expect(bench.says("mkdir: No such file or directory"))
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      try FileManager.default.createDirectory(
        atPath: bench.scratch.path("card"), withIntermediateDirectories: true)
      #expect(
        eventually(within: .seconds(20)) {
          (try? LogFile.times(in: directory))?.count == recording.times.count
        })
      #expect(bench.stopsInGoodOrder())
      #expect(try LogFile.times(in: directory) == recording.times)
    }

    /// Logs 300 epochs into the file itself and 50 into its write-ahead log, and kills the logger.
    private static func broken(_ bench: LoggerBench, _ recording: Recording) throws {
      try bench.start()
      FaultTests.play(recording.pieces[..<300], on: bench.feeder)
      #expect(bench.hasStored(300))
      #expect(bench.stopsInGoodOrder())
      try bench.start()
      FaultTests.play(recording.pieces[300..<350], on: bench.feeder)
      #expect(bench.hasStored(350))
      bench.kill()
    }

    @Test("flipped bytes cost only the records that they hit", arguments: [1, 2, 3] as [UInt64])
    func flippedBytes(seed: UInt64) throws {
      let recording = Recording.simulated(epochs: 400)
      let bench = try LoggerBench(url: nil)
      try Self.broken(bench, recording)
      let ids = try LogFile.column("SELECT id FROM record ORDER BY id", of: bench.database)

      var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: bench.database)))
      var random = SplitMix64(seed: seed)
      let pages = bytes.count / 1024
      for _ in 0..<6 {
        // In the middle of the file, a page's first byte and one more of its body.
        let page = Int.random(in: pages / 3..<pages * 2 / 3, using: &random)
        bytes[page * 1024] ^= UInt8.random(in: 1...255, using: &random)
        bytes[page * 1024 + Int.random(in: 600..<1024, using: &random)] ^= 0x55
      }
      try Data(bytes).write(to: URL(fileURLWithPath: bench.database))

      try bench.start()
      let aside = bench.database + ".damaged-1"
      #expect(bench.says(aside), "\(bench.standardError)")
      #expect(Array(try Data(contentsOf: URL(fileURLWithPath: aside))) == bytes)
      #expect(bench.hasEvent("log_salvaged"))
      let left = Set(try LogFile.column("SELECT id FROM record", of: bench.database))
      let lost = ids.filter { !left.contains($0) }
      // A page of 1 kB holds at most a dozen records.
      #expect(lost.count <= 6 * 12, "\(lost)")
      #expect(
        Set(bench.times).isSuperset(of: recording.times[300..<350]), "the records of the write-ahead log")
      let missing = try LogFile.column(
        "SELECT sum(value) FROM event WHERE kind = 'records_missing'", of: bench.database)
      #expect(missing.first ?? 0 == lost.count)

      FaultTests.play(recording.pieces[350...], on: bench.feeder)
      #expect(eventually(within: .seconds(20)) { bench.times.suffix(50) == recording.times.suffix(50) })
      #expect(bench.stopsInGoodOrder())
      let times = bench.times
      #expect(Set(times).count == times.count && Set(times).isSubset(of: recording.times))
    }

    @Test func aFileThatIsNotADatabaseIsSetAside() throws {
      let recording = Recording.simulated(epochs: 10)
      let bench = try LoggerBench(url: nil)
      try FileManager.default.createDirectory(atPath: bench.log, withIntermediateDirectories: true)
      let text = String(repeating: "These are my holiday notes. ", count: 200)
      try text.write(toFile: bench.database, atomically: true, encoding: .utf8)
      try bench.start()
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      #expect(bench.hasStored(10))
      #expect(bench.stopsInGoodOrder())
      #expect(bench.times == recording.times)
      let aside = bench.database + ".damaged-1"
      #expect(try String(contentsOfFile: aside, encoding: .utf8) == text)
      #expect(bench.standardError.contains(aside))
      let cause = bench.anonymous(
        try #require(bench.events("log_salvaged").first).components(separatedBy: "; ")[0])
      #expect(cause == Self.texts.expected("log_salvaged: not a database", cause))
      #expect(bench.events("log_salvaged").count == 1)
    }

    @Test func aDirectoryWithTheNameOfTheLogIsSetAside() throws {
      let recording = Recording.simulated(epochs: 10)
      let bench = try LoggerBench(url: nil)
      try FileManager.default.createDirectory(atPath: bench.database, withIntermediateDirectories: true)
      try "mine".write(toFile: bench.database + "/note", atomically: true, encoding: .utf8)
      try bench.start()
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      #expect(bench.hasStored(10))
      #expect(bench.stopsInGoodOrder())
      let aside = bench.database + ".damaged-1"
      #expect(try String(contentsOfFile: aside + "/note", encoding: .utf8) == "mine")
      #expect(bench.standardError.contains(aside))
      let cause = bench.anonymous(
        try #require(bench.events("log_salvaged").first).components(separatedBy: "; ")[0])
      #expect(cause == Self.texts.expected("log_salvaged: a directory", cause))
    }

    @Test func aStorageDirectoryThatIsAFileIsRejected() throws {
      let bench = try LoggerBench(url: nil)
      let file = try bench.scratch.write("taken", "")
      try bench.start(["--set", "storage.directory=\(file)"])
      #expect(bench.program?.exitStatus(within: .seconds(10)) == 1)
      let message = try #require(bench.line(with: file, "storage.directory"), "\(bench.standardError)")
      #expect(message == Self.texts.expected("storage.directory: a file", message))
    }

    private static let hasMemoryFileSystem: Bool = {
      let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
      return mounts.contains(" /dev/shm tmpfs ")
    }()

    @Test(.enabled(if: hasMemoryFileSystem, "/dev/shm is no tmpfs"))
    func aMemoryFileSystemIsRejected() throws {
      let directory = "/dev/shm/outrider-\(UInt64.random(in: .min ... .max))"
      defer { try? FileManager.default.removeItem(atPath: directory) }
      let bench = try LoggerBench(url: nil)
      let words = ["--set", "storage.directory=\(directory)", "--set", "storage.allow_volatile=false"]
      try bench.start(words)
      #expect(bench.program?.exitStatus(within: .seconds(10)) == 1)
      let message = try #require(
        bench.standardError.line(with: directory, "tmpfs", "storage.allow_volatile"), "\(bench.standardError)"
      ).replacingOccurrences(of: directory, with: "PLACE")
      #expect(message == Self.texts.expected("storage.directory: tmpfs", message))
    }

    @Test func aSecondLoggerOnTheSameLogIsRejectedAndDoesNotDisturbTheFirst() throws {
      let recording = Recording.simulated(epochs: 20)
      let bench = try LoggerBench(url: nil)
      try bench.start()
      FaultTests.play(recording.pieces[..<10], on: bench.feeder)
      #expect(bench.hasStored(10))
      let words = ["run", "--config", bench.scratch.path("config.json5")]
      let second = try FaultTests.run(words, in: bench.scratch)
      #expect(second.status == 1)
      let message = bench.anonymous(try #require(second.errors.line(with: bench.log), "\(second.errors)"))
      #expect(message == Self.texts.expected("second logger", message))
      FaultTests.play(recording.pieces[10...], on: bench.feeder)
      #expect(bench.hasStored(20))
      #expect(try FaultTests.status(of: bench)["running"] as? Bool == true)
      #expect(bench.stopsInGoodOrder())
      #expect(bench.times == recording.times)
      #expect(bench.events("receiver_lost").isEmpty)
    }
  }
}
