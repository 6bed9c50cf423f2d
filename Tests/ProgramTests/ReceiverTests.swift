import Foundation
import Glibc
import Quantities
import TestSupport
import Testing

/// The program with an independent receiver simulator, `rig/receiver.py` of the shared folder.
@Suite struct ReceiverTests {
  static let witness = SharedRecordings.folder?.appendingPathComponent("rig/receiver.py").path ?? ""
  static var isWitnessPresent: Bool {
    SharedRecordings.exists("rig/receiver.py")
      && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
  }

  /// The simulator on a pseudo-terminal of its own, and its log.
  final class Receiver {
    let port: String
    private let notes: String
    private let process = Process()

    init(_ model: String, in scratch: Scratch, arguments: [String] = []) throws {
      port = scratch.path("gnss")
      notes = scratch.path("receiver.jsonl")
      process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
      process.arguments =
        [ReceiverTests.witness, "--pty", port, "--model", model, "--log", notes] + arguments
      process.standardOutput = FileHandle.nullDevice
      try process.run()
    }

    deinit {
      // It may have inherited a signal mask that blocks SIGTERM.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    var isThere: Bool { FileManager.default.fileExists(atPath: port) }

    var received: String { (try? String(contentsOfFile: notes, encoding: .utf8)) ?? "" }
  }

  /// The commands that each model must receive, and the number that it rejects: the simulator does not know the key of
  /// NAV-EOE.
  static let models: [(model: String, family: String, words: [String], refused: Int64)] = [
    ("m8", "ublox-cfg", ["UBX-06-08", "UBX-06-24"], 0), ("m10", "ublox-valset", ["UBX-06-8A"], 1),
    ("mtk", "mediatek", ["PMTK220", "PMTK314"], 0), ("casic", "casic", ["PCAS02", "PCAS03"], 0),
  ]

  @Test(
    .enabled(
      if: isWitnessPresent,
      "recordings and rig are absent: put them in ../shared, or name their folder in OUTRIDER_SHARED"),
    arguments: models.indices)
  func aReceiverIsConfiguredLoggedAndRemembered(_ index: Int) throws {
    let (model, family, words, refused) = Self.models[index]
    let bench = try LoggerBench(url: nil)
    let receiver = try Receiver(model, in: bench.scratch)
    #expect(eventually(within: .seconds(10)) { receiver.isThere })
    let options = ["--set", "receiver.port=\(receiver.port)", "--set", "receiver.speed=auto"]
    try bench.start(options)
    #expect(bench.hasEvent("receiver_configured", within: .seconds(60)), "\(bench.standardError)")
    let missing = try LogFile.column(
      "SELECT value FROM event WHERE kind = 'receiver_configured'", of: bench.database)
    #expect(missing.first == refused)
    let before = bench.times.count
    #expect(bench.hasStored(before + 3))
    for word in words { #expect(receiver.received.contains(word), "\(word) in \(receiver.received)") }
    let status = try FaultTests.status(of: bench)["receiver"] as? [String: Any]
    #expect(status?["state"] as? String == "running")
    #expect(status?["family"] as? String == family)
    #expect(status?["speed_baud"] as? Int == 9600)
    #expect(bench.stopsInGoodOrder())
    #expect(bench.events("receiver_identified").count == 1)
    let notes = { try LogFile.texts("SELECT text FROM note WHERE key = 'receiver'", of: bench.database) }
    let known = try notes()
    #expect(known.count == 1 && known[0].contains("family=\(family)") && known[0].contains("speed=9600"))

    try bench.start(options)
    #expect(eventually(within: .seconds(60)) { bench.events("receiver_configured").count == 2 })
    #expect(bench.stopsInGoodOrder())
    #expect(try notes() == known)
    #expect(bench.events("receiver_garbled").isEmpty && bench.events("receiver_silent").isEmpty)
  }

  @Test(
    .enabled(
      if: isWitnessPresent,
      "recordings and rig are absent: put them in ../shared, or name their folder in OUTRIDER_SHARED"))
  func withoutControlTheReceiverGetsNoCommands() throws {
    let bench = try LoggerBench(url: nil)
    let receiver = try Receiver("m8", in: bench.scratch)
    #expect(eventually(within: .seconds(10)) { receiver.isThere })
    try bench.start(["--set", "receiver.port=\(receiver.port)", "--set", "receiver.control=none"])
    #expect(bench.hasStored(4))
    #expect(!receiver.received.contains("command"), "\(receiver.received)")
    #expect(bench.stopsInGoodOrder())
  }
}
