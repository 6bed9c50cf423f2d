import Devices
import Foundation
import Glibc
import Quantities
import Store
import System
import Testing

/// A logger with its own serial line, log directory and destination.
final class LoggerBench {
  let scratch: Scratch
  let feeder: Feeder
  let log: String
  private(set) var program: Program?
  private var configuration: String

  /// `url` is the address of the destination; nil for none. `extra` are further lines of the configuration.
  init(url: String?, commitInterval: String = "100ms", sendInterval: String = "1s", extra: String = "") throws
  {
    scratch = try Scratch()
    feeder = try Feeder()
    log = scratch.path("log")
    let destinations =
      url.map { #"[{ name: "home", kind: "overland", url: "\#($0)", timeout: "5s" }]"# } ?? "[]"
    configuration = try scratch.write(
      "config.json5",
      """
      {
        device_id: "bench",
        receiver: { port: "\(feeder.path)", speed: 9600 },
        destinations: \(destinations),
        \(url == nil ? "" : #"send_interval: "\#(sendInterval)","#)
        storage: { directory: "\(log)", commit_interval: "\(commitInterval)", allow_volatile: true },
        \(extra)
      }
      """)
  }

  deinit {
    feeder.stop()
    program?.send(SIGKILL)
  }

  func rewrite(_ edit: (String) -> String) throws {
    let text = try String(contentsOfFile: configuration, encoding: .utf8)
    configuration = try scratch.write("config.json5", edit(text))
  }

  func start(environment: [String: String] = [:], _ words: [String] = []) throws {
    feeder.release()
    program = try Program(
      // The recordings of the tests are older than the program.
      ["run", "--recorded", "--config", configuration] + words, in: scratch, environment: environment)
  }

  /// Sends SIGTERM. Returns true if the program exits with status 0 within a second.
  func stopsInGoodOrder() -> Bool {
    let before = SystemClock.moment()
    program?.send(SIGTERM)
    let status = program?.exitStatus(within: .seconds(5))
    return status == 0 && SystemClock.moment() - before < .seconds(1)
  }

  /// The times of the log's locations; empty while there is no log.
  var times: [Int64] { (try? LogFile.times(in: log)) ?? [] }

  func hasStored(_ count: Int, within limit: Duration = .seconds(20)) -> Bool {
    eventually(within: limit) { times.count >= count }
  }
}

/// Returns the `locations` of a body as text; nil if there are none.
func locations(in body: [UInt8]) -> String? {
  let text = String(decoding: body, as: UTF8.self)
  guard let start = text.range(of: #"{"locations":["#) else { return nil }
  let end = text.range(of: #"],"current":"#) ?? text.range(of: "]}", options: .backwards)
  return end.map { String(text[start.upperBound..<$0.lowerBound]) }
}

/// Returns the number of features in such a text.
func featureCount(inLocations text: String) -> Int {
  text.components(separatedBy: #""type":"Feature""#).count - 1
}
