import FleetRecords
import HostileJSON
import JSON
import Quantities
import Testing

@testable import UploadReader

/// The reader never traps, and never accepts what the strict reader of JSON rejects.
@Suite struct HostileUploadTests {
  /// Both readers on one text; false if this reader accepts more, except for a report that it leaves out because of a limit
  /// of both.
  private func agrees(_ bytes: [UInt8]) -> Bool {
    let upload = try? read(bytes).get()
    let isMessage = (try? readOwnTracks(bytes).get()) != nil
    guard upload != nil || isMessage else { return true }
    if let fault = upload?.reportFault, Self.limits.contains(where: { fault.contains($0) }) { return true }
    return (try? CheckedJSON(bytes)) != nil
  }

  private static let limits = ["nested deeper than", "expected a number of at most"]

  @Test func everyPrefixOfAGoldenBodyIsRejected() {
    for golden in GoldenBodies.all.map(GoldenBodies.bytes) {
      for count in 0..<golden.count {
        let prefix = Array(golden[..<count])
        #expect(!read(prefix).isSuccess && !readOwnTracks(prefix).isSuccess, "\(count)")
      }
    }
  }

  @Test func hostileTextsAreReadAsByTheStrictReader() {
    let places = [
      (#"{"locations":[],"#, "}"),
      (#"{"locations":[{"properties":{"timestamp":"2026-03-01T10:15:02Z","#, "}}]}"),
      (#"{"locations":[],"report":{"#, "}}"), ("{", #","locations":[]}"#),
      (#"{"_type":"location","lat":1,"lon":2,"tst":1772360102,"#, "}"),
    ]
    for document in HostileJSON.frames { if !agrees(document.bytes) { Issue.record("\(document)") } }
    for (before, after) in places {
      for key in ["wifi", "speed", "record", "log", "version"] {
        for document in HostileJSON.documents(key: key, before: before, after: after) {
          if !agrees(document.bytes) { Issue.record("\(before) \(document)") }
        }
      }
    }
  }

  @Test func validTextsOfTheSameShapeAreAccepted() throws {
    for text in [
      "\u{FEFF}" + #"{"locations":[]}"#, " {\"locations\" :\t[ ]\r\n} ",
      #"{"locations":[],"é":"\ud83d\ude00"}"#,
    ] {
      let upload = try read(text).get()
      #expect(upload.rowCount == 0)
    }
  }

  @Test func changedBodiesAreReadAsByTheStrictReader() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    let golden = GoldenBodies.all.map(GoldenBodies.bytes)
    for round in 0..<20_000 {
      let bytes = HostileJSON.mutated(golden[round % golden.count], &random)
      guard agrees(bytes) else {
        Issue.record("seed \(seed), round \(round): \(String(decoding: bytes, as: UTF8.self))")
        return
      }
    }
  }

  /// All rows of changed bodies fit into the tables.
  @Test func changedBodiesHaveOnlyRowsThatFit() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    let golden = GoldenBodies.all.dropLast().map(GoldenBodies.bytes)
    var accepted = 0
    for round in 0..<20_000 {
      var bytes = golden[round % golden.count]
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: bytes.indices, using: &random)
        let character = Array("0123456789.eE-\" ab".utf8).randomElement(using: &random) ?? 0
        bytes[index] = character
      }
      guard let upload = try? read(bytes).get() else { continue }
      accepted += 1
      let fits = upload.locations.allSatisfy {
        TimeText.earliest <= $0.id.time && $0.id.time <= TimeText.latest
          && abs($0.place.latitudeE7) <= 900_000_000
          && !($0.extra?.utf8.contains(0) ?? false)
          && ($0.extra.map { (try? CheckedJSON($0.utf8)) != nil } ?? true)
          && $0.device.batteryPercent ?? 0 <= 100
          && ($0.id.record < 0 || upload.range?.contains($0.id.record) ?? true)
      }
      if !fits { Issue.record("seed \(seed), round \(round)") }
    }
    #expect(accepted > 500, "seed \(seed)")
  }
}
