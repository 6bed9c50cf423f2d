import Foundation
import Glibc
import Testing

/// Files of the wrong type at every path that a setting names. The logger refuses each with words and goes on, or ends.
@Suite struct StrangePathTests {
  enum Kind: String, CaseIterable, Sendable {
    case pipe, device, directory, danglingLink, hugeFile
  }

  /// Makes the file and returns its path.
  private static func make(_ kind: Kind, in scratch: Scratch) throws -> String {
    let path = scratch.path("strange.mbtiles")
    switch kind {
    case .pipe: try #require(mkfifo(path, 0o600) == 0)
    case .device: try #require(symlink("/dev/zero", path) == 0)
    case .directory: try #require(mkdir(path, 0o700) == 0)
    case .danglingLink: try #require(symlink("/nowhere/at/all", path) == 0)
    case .hugeFile:
      let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      try #require(file >= 0 && ftruncate(file, 1 << 40) == 0)
      close(file)
    }
    return path
  }

  /// Everything at once, except the receiver's line, the log and the socket of the local API.
  @Test(arguments: Kind.allCases) func theLoggerRecordsWhateverIsAtItsPaths(_ kind: Kind) throws {
    let bench = try LoggerBench(url: nil)
    let path = try Self.make(kind, in: bench.scratch)
    try bench.rewrite { text in
      let destinations = """
        [
          { name: "a", kind: "overland", url: "https://127.0.0.1:9/", ca_file: "\(path)" },
          { name: "b", kind: "overland", url: "https://127.0.0.1:9/", client_certificate: "\(path)",
            client_key: "\(path)" },
          { name: "c", kind: "owntracks", url: "mqtts://127.0.0.1:9", ca_file: "\(path)" },
          { name: "d", kind: "file", directory: "\(path)" },
        ],
        send_interval: "1s", rtc: "\(path)", host: { sleep: "suspend" },
        accelerometer: { chip: "lis3dh", bus: "\(path)", interrupt: { chip: "\(path)", line: 1 } },
        gauge: { chip: "max17048", bus: "\(path)" }, lines: { ignition: { chip: "\(path)", line: 2 } },
        leds: { status: { chip: "\(path)", line: 3 } }, network: { line: { chip: "\(path)", line: 4 } },
        clock: { chrony: "\(path)" }, map: { tiles: "\(path)" }, main: { background_indicator: true }
        """
      return text.replacingOccurrences(of: "destinations: []", with: "destinations: \(destinations)")
        .replacingOccurrences(of: "speed: 9600", with: "speed: 9600, enable: { chip: \"\(path)\", line: 5 }")
    }
    try bench.start()
    FaultTests.play(Recording.simulated(epochs: 20).pieces[...], on: bench.feeder)
    #expect(bench.hasStored(20), "\(bench.standardError)")
    #expect(bench.stopsInGoodOrder(), "\(bench.standardError)")
  }

  static let needed = ["receiver.port", "storage.directory", "api.socket"].flatMap { key in
    Kind.allCases.map { (key, $0) }
  }

  /// What the logger cannot do without: it names the path, and goes on or ends.
  @Test(arguments: needed) func aPathThatTheLoggerNeedsIsRefusedWithWords(key: String, kind: Kind) throws {
    let bench = try LoggerBench(url: nil)
    let path = try Self.make(kind, in: bench.scratch)
    // A directory is right for the log.
    guard key != "storage.directory" || kind != .directory else { return }
    try bench.start(["--set", "\(key)=\(path)"])
    let isNamed = eventually(within: .seconds(20)) { bench.standardError.contains(path) }
    #expect(isNamed, "\(bench.standardError)")
    guard bench.program?.isRunning == true else { return }
    bench.program?.send(SIGTERM)
    #expect(bench.program?.exitStatus(within: .seconds(5)) != nil)
  }
}
