import Foundation
import Glibc
import Testing

/// The clients of Debian's gpsd-clients against the program.
@Suite(
  .serialized,
  .enabled(
    if: access("/usr/bin/gpspipe", X_OK) == 0, "gpspipe is absent: sudo apt-get install gpsd-clients"))
struct ShareProgramTests {
  private static let recording = Recording.simulated(epochs: 400)

  /// A logger that shares a simulated NMEA receiver with an epoch every 100 ms, and the port of gpsd's protocol.
  private static func sharing() throws -> (LoggerBench, port: UInt16) {
    let port = try freePort()
    let bench = try LoggerBench(url: nil, extra: #"share: { gpsd: "127.0.0.1:\#(port)" },"#)
    try bench.start()
    bench.feeder.play(recording.pieces, every: .milliseconds(100))
    #expect(bench.hasStored(2), "\(bench.program?.standardError ?? "")")
    return (bench, port)
  }

  /// Runs a command of the shell and returns its output.
  private static func run(_ command: String, _ environment: [String: String] = [:]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  @Test func gpspipeGetsReports() throws {
    let (bench, port) = try Self.sharing()
    let text = try Self.run("timeout 15 gpspipe -w -n 12 127.0.0.1:\(port)")
    let classes = text.split(whereSeparator: \.isNewline).compactMap {
      (try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["class"] as? String
    }
    #expect(classes.starts(with: ["VERSION", "DEVICES", "WATCH"]), "\(text)")
    #expect(classes.contains("TPV") && text.contains(#""device":"\#(bench.feeder.path)""#), "\(text)")
  }

  @Test func gpspipeGetsSentences() throws {
    let (bench, port) = try Self.sharing()
    let text = try Self.run("timeout 15 gpspipe -r -n 12 127.0.0.1:\(port)")
    #expect(text.contains("RMC,") && text.contains("GGA,") && !text.contains("TPV"), "\(text)")
    #expect(bench.stopsInGoodOrder())
  }

  @Test(.enabled(if: access("/usr/bin/script", X_OK) == 0, "script is absent: sudo apt-get install bsdutils"))
  func cgpsShowsThePosition() throws {
    let (bench, port) = try Self.sharing()
    let text = try Self.run(
      "timeout -s INT 5 script -qec 'stty rows 40 cols 120; timeout --foreground -s INT 3 cgps 127.0.0.1:\(port)' /dev/null",
      ["TERM": "xterm"])
    #expect(text.contains("Latitude") && text.contains("52.5"), "\(text)")
    withExtendedLifetime(bench) {}
  }

  @Test(.enabled(if: access("/usr/bin/script", X_OK) == 0, "script is absent: sudo apt-get install bsdutils"))
  func gpsmonShowsTheSentences() throws {
    let (bench, port) = try Self.sharing()
    let text = try Self.run(
      "timeout -s INT 6 script -qec 'stty rows 40 cols 120; timeout --foreground -s INT 4 gpsmon -n 127.0.0.1:\(port)' /dev/null",
      ["TERM": "xterm"])
    #expect(text.contains("RMC"), "\(text)")
    withExtendedLifetime(bench) {}
  }

  /// Python's client library, which xgps uses.
  @Test(
    .enabled(
      if: access("/usr/lib/python3/dist-packages/gps/__init__.py", R_OK) == 0,
      "python3-gps is absent: sudo apt-get install python3-gps"))
  func pythonReadsThePosition() throws {
    let (bench, port) = try Self.sharing()
    let script = """
      import gps
      session = gps.gps(host="127.0.0.1", port="\(port)", mode=gps.WATCH_ENABLE | gps.WATCH_JSON)
      while session.read() == 0:
          if session.data.get("class") == "TPV" and session.fix.mode >= 2:
              print("at", round(session.fix.latitude, 3), session.fix.mode)
              break
      """
    let path = try bench.scratch.write("client.py", script)
    let text = try Self.run("timeout 15 /usr/bin/python3 '\(path)'")
    #expect(text.contains("at 52.5"), "\(text)")
  }
}
