import Foundation
import Quantities
import Simulation
import System
import Testing
import TextSnapshots

extension FaultTests {
  /// Faults of a serial line.
  @Suite struct Line {
    static let texts = TextSnapshot("commands")

    /// An epoch with one wrong bit in every sentence.
    private static func damaged(_ piece: Feeder.Piece) -> Feeder.Piece {
      let lines = String(decoding: piece.bytes, as: UTF8.self).components(separatedBy: "\r\n")
      let damaged = lines.map { line -> String in
        guard line.utf8.count > 12 else { return line }
        var bytes = Array(line.utf8)
        bytes[9] ^= 1
        return String(decoding: bytes, as: UTF8.self)
      }
      return Feeder.Piece(bytes: Array(damaged.joined(separator: "\r\n").utf8))
    }

    @Test func epochsWithWrongChecksumsAreCountedAndTheirNeighboursKept() throws {
      var recording = Recording.simulated(epochs: 40)
      let hit = [5, 6, 7, 19, 31]
      var wrong = 0
      for index in hit {
        wrong += recording.pieces[index].bytes.count { $0 == UInt8(ascii: "$") }
        recording.pieces[index] = Self.damaged(recording.pieces[index])
      }
      let kept = recording.times.indices.filter { !hit.contains($0) }.map { recording.times[$0] }
      let bench = try LoggerBench(url: nil)
      try bench.start()
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      #expect(bench.hasStored(kept.count))
      let receiver = try FaultTests.status(of: bench)["receiver"] as? [String: Any]
      #expect(receiver?["checksum_errors"] as? Int == wrong)
      #expect(bench.stopsInGoodOrder())
      #expect(bench.times == kept)
    }

    @Test func incompleteSentencesCostOnlyTheirOwnEpoch() throws {
      var recording = Recording.simulated(epochs: 30)
      // RMC has date and time, GGA the position: an epoch that is cut in its first sentence is lost.
      let hit = [4, 11, 12, 25]
      for (count, index) in hit.enumerated() {
        recording.pieces[index].bytes = Array(recording.pieces[index].bytes.prefix(3 + 17 * count))
      }
      let kept = recording.times.indices.filter { !hit.contains($0) }.map { recording.times[$0] }
      let bench = try LoggerBench(url: nil)
      try bench.start()
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      #expect(bench.hasStored(kept.count))
      #expect(bench.stopsInGoodOrder())
      #expect(bench.times == kept)
    }

    @Test("noise between the epochs costs none of them", arguments: [1, 2, 3] as [UInt64])
    func noiseBetweenEpochs(seed: UInt64) throws {
      let recording = Recording.simulated(epochs: 40)
      var pieces = recording.pieces
      for index in pieces.indices where index % 3 == 2 {
        pieces[index].bytes += FaultTests.noise(bytes: 200, seed: seed &* 1000 &+ UInt64(index))
      }
      let bench = try LoggerBench(url: nil)
      try bench.start()
      FaultTests.play(pieces[...], on: bench.feeder)
      #expect(bench.hasStored(recording.times.count))
      #expect(bench.stopsInGoodOrder())
      #expect(bench.times == recording.times)
    }

    @Test func noiseAloneIsReportedOnceAndEndsWithValidFrames() throws {
      let recording = Recording.simulated(epochs: 10)
      let bench = try LoggerBench(url: nil)
      try bench.start()
      let noise = Feeder.Piece(bytes: FaultTests.noise(bytes: 8000, seed: 5))
      FaultTests.play([noise], on: bench.feeder)
      #expect(bench.hasEvent("receiver_garbled"))
      #expect(bench.times.isEmpty)
      FaultTests.play(recording.pieces[...], on: bench.feeder)
      #expect(bench.hasStored(recording.times.count))
      #expect(bench.stopsInGoodOrder())
      #expect(bench.times == recording.times)
      #expect(bench.events("receiver_garbled").count == 1)
      let warning = try #require(
        bench.line(with: "warning: ", bench.feeder.path, "receiver.speed"), "\(bench.standardError)")
      let remedy = warning.components(separatedBy: "; ").last ?? ""
      #expect(remedy == Self.texts.expected("noise on the serial line: remedy", remedy))
    }

    @Test func aPortThatDisappearsDuringAnEpochIsReopenedWhenItReturns() throws {
      let recording = Recording.simulated(epochs: 40)
      let bench = try LoggerBench(url: nil)
      let port = bench.scratch.path("gnss")
      var first: Feeder? = try Feeder()
      try FileManager.default.createSymbolicLink(atPath: port, withDestinationPath: first?.path ?? "")
      try bench.start(["--set", "receiver.port=\(port)"])

      var pieces = Array(recording.pieces[..<20])
      pieces.append(Feeder.Piece(bytes: Array(recording.pieces[20].bytes.prefix(30))))
      first?.play(pieces, every: .milliseconds(2))
      #expect(eventually(within: .seconds(20)) { first?.isFinished ?? true })
      first = nil
      try FileManager.default.removeItem(atPath: port)
      #expect(bench.hasEvent("receiver_lost"))
      #expect(bench.says("\(port): read: "))
      let receiver = try FaultTests.status(of: bench)["receiver"] as? [String: Any]
      #expect(receiver?["is_open"] as? Bool == false)

      let second = try Feeder()
      defer { second.stop() }
      try FileManager.default.createSymbolicLink(atPath: port, withDestinationPath: second.path)
      let before = SystemClock.moment()
      second.play(Array(recording.pieces[21...]), every: .milliseconds(2))
      #expect(bench.hasStored(39))
      #expect(SystemClock.moment() - before < .seconds(20))
      #expect(bench.stopsInGoodOrder())
      let expected = recording.times.enumerated().filter { $0.offset != 20 }.map(\.element)
      #expect(bench.times == expected)
      #expect(bench.events("receiver_lost").count == 1)
      #expect(bench.events("receiver_found").count == 2)
    }

    @Test func aPortThatIsMissingAtTheStartIsOpenedWhenItAppears() throws {
      let recording = Recording.simulated(epochs: 5)
      let bench = try LoggerBench(url: nil)
      let port = bench.scratch.path("gnss")
      try bench.start(["--set", "receiver.port=\(port)"])
      #expect(bench.hasEvent("receiver_lost"))
      let warning = try #require(
        bench.line(with: "\(port): open: No such file or directory", "receiver.port"),
        "\(bench.standardError)")
      #expect(warning == Self.texts.expected("missing serial port", warning))
      try FileManager.default.createSymbolicLink(atPath: port, withDestinationPath: bench.feeder.path)
      bench.feeder.play(recording.pieces, every: .milliseconds(2))
      #expect(bench.hasStored(recording.times.count))
      #expect(bench.stopsInGoodOrder())
      #expect(bench.times == recording.times)
    }
  }

  /// Dated and undated fixes.
  @Suite struct Dates {
    /// Five seconds of a receiver at 10 Hz.
    private static func tenHertz() -> (pieces: [Feeder.Piece], times: [Int64]) {
      var receiver = VirtualReceiver(route: .berlin, seed: 3)
      var pieces: [Feeder.Piece] = []
      var times: [Int64] = []
      for tenth in 0..<50 {
        let time = Timestamp(milliseconds: 1_772_359_200_000 + Int64(tenth) * 100)
        pieces.append(Feeder.Piece(bytes: receiver.epoch(at: time)))
        times.append(time.milliseconds)
      }
      return (pieces, times)
    }

    @Test("at ten fixes a second, min_time decides how many are stored", arguments: ["1s", "0s"])
    func recordingRule(minTime: String) throws {
      let (pieces, times) = Self.tenHertz()
      let expected = minTime == "0s" ? times : times.filter { $0 % 1000 == 0 }
      let bench = try LoggerBench(url: nil)
      try bench.start(["--set", "main.min_time=\(minTime)"])
      FaultTests.play(pieces[...], on: bench.feeder)
      #expect(bench.hasStored(expected.count))
      let rejected = try FaultTests.status(of: bench)["rejected"] as? [String: Int]
      #expect(rejected?["min_time"] ?? 0 == times.count - expected.count)
      #expect(bench.stopsInGoodOrder())
      #expect(bench.times == expected)
    }

    @Test func undatedFixesSurviveARestartAndAreNotSent() throws {
      let recording = Recording.simulated(epochs: 20)
      let server = try ScriptedServer { _, _ in .ok }
      defer { server.stop() }
      let bench = try LoggerBench(url: server.url)
      try bench.start()
      FaultTests.play(recording.onlySentence("GGA")[...], on: bench.feeder)
      let undated = "SELECT count(*) FROM location WHERE time IS NULL"
      let count = { (try? LogFile.column(undated, of: bench.database).first) ?? 0 }
      #expect(eventually(within: .seconds(20)) { count() == 20 })
      #expect(bench.stopsInGoodOrder())
      try bench.start()
      #expect(eventually(within: .seconds(10)) { bench.events("started").count == 2 })
      #expect(count() == 20)
      // The status passes through the event loop, after any delivery that the start triggers.
      _ = try FaultTests.status(of: bench)
      #expect(bench.stopsInGoodOrder())
      #expect(count() == 20)
      #expect(server.received.isEmpty)
    }

    @Test func undatedFixesAreSentOnceWhenTheDateIsKnown() throws {
      let recording = Recording.simulated(epochs: 30)
      let server = try ScriptedServer { _, _ in .ok }
      defer { server.stop() }
      let bench = try LoggerBench(url: server.url, extra: "main: { batch_size: 7 },")
      try bench.start()
      FaultTests.play(recording.onlySentence("GGA")[..<12], on: bench.feeder)
      #expect(eventually(within: .seconds(20)) { (try? LogFile.count("location", in: bench.database)) == 12 })
      #expect(server.received.isEmpty)
      FaultTests.play(recording.pieces[12...], on: bench.feeder)
      #expect(
        eventually(within: .seconds(20)) { server.sentTimes.count >= recording.times.count },
        "\(bench.standardError)")
      #expect(bench.stopsInGoodOrder())
      #expect(bench.times == recording.times)
      #expect(server.sentTimes.sorted() == recording.isoTimes)
    }
  }
}

extension Recording {
  /// As Overland bodies write them: `2026-03-01T10:00:00Z`.
  var isoTimes: [String] { epochs.map { $0.time.iso8601() } }
}
