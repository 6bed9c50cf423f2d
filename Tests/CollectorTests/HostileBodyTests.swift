import HostileJSON
import Quantities
import Testing
import TextSnapshots

@testable import Collector

/// Whatever is posted, the collector responds and continues to run.
@Suite struct HostileBodyTests {
  static func read(_ body: [UInt8]) {
    if let ranges = try? BodyScanner.features(in: body) {
      for range in ranges { _ = FeatureReader().feature(body[range]) }
    }
    // Also bodies that the scanner rejects.
    _ = FeatureReader().feature(body[...])
    _ = OwnTracksReader().read(body, owner: nil)
  }

  static let documents =
    HostileJSON.frames
    + HostileJSON.documents(key: "timestamp", before: #"{"locations":[{"properties":{"#, after: "}}]}")
    + HostileJSON.documents(key: "lat", before: #"{"_type":"location","#)
    + HostileJSON.documents(
      key: "coordinates", before: #"{"features":[{"geometry":{"type":"Point","#, after: "}}]}")

  @Test(arguments: documents)
  func noBodyCrashesTheCollector(_ document: HostileJSON.Document) { Self.read(document.bytes) }

  @Test(arguments: 0..<40)
  func noMutatedBodyCrashesTheCollector(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for sound in [CollectorTests.batch([CollectorTests.location(1)]), OwnTracksTests.message] {
      for _ in 0..<100 { Self.read(HostileJSON.mutated(Array(sound.utf8), &random)) }
    }
  }

  @Test(arguments: [("/api/input", #"{"locations":[{"a"#), ("/pub", #"{"_type"#)])
  func theResponseContainsTheByteOffset(path: String, beginning: String) throws {
    let bench = try CollectorTests.Bench()
    let end = path == "/pub" ? #"":"location"}"# : #"":1}]}"#
    let body = Array(beginning.utf8) + [0x81] + Array(end.utf8)
    let answer = try bench.http.ask(bench.collector?.port, "POST", path, body: body)
    let expected = CollectorTests.texts.expected("byte that is not UTF-8, \(path)", answer.text)
    #expect(answer.status == 400 && answer.text == expected)
    #expect(answer.text.contains("byte \(beginning.utf8.count)"), "\(answer.text)")
    #expect(try bench.get("/status").status == 200)
  }
}
