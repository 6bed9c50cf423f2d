import Quantities
import TestSupport
import Testing

/// A short, seeded version of `scripts/fuzz`.
@Suite struct PropertyTests {
  @Test(arguments: 0..<150)
  func anyMixtureOfProtocolsKeepsThePromises(seed: UInt64) throws {
    var mixture = ProtocolMixture(seed: seed)
    let bytes = mixture.bytes(frames: 40)
    var promises = DecoderPromises()
    try bytes.withUnsafeBytes { try promises.check($0) }
    _ = try objects(listing(bytes))
  }

  @Test(arguments: 0..<60)
  func anyDivisionOfTheStreamGivesTheSameResult(seed: UInt64) {
    var mixture = ProtocolMixture(seed: 1000 + seed)
    var random = SplitMix64(seed: seed)
    let bytes = mixture.bytes(frames: 300)
    let longest = [3, 80, 700, 5000, 20_000].randomElement(using: &random) ?? 80
    #expect(decode(bytes, pieces: { Int.random(in: 1...longest, using: &random) }) == decode(bytes))
  }

  /// The clock may stop, jump by days and step back, and timeouts may come early, late or twice.
  @Test(arguments: 0..<100)
  func afterAnyPausesTheReceiverIsDecodedAgain(seed: UInt64) {
    var mixture = ProtocolMixture(seed: 2000 + seed)
    var random = SplitMix64(seed: seed)
    var bench = Bench()
    for _ in 0..<60 {
      bench.send(mixture.bytes(frames: Int.random(in: 0..<4, using: &random)))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bench.wait(.milliseconds(Int.random(in: 0...2000, using: &random)))
      case 1: bench.now = bench.now + .seconds(Int.random(in: -100...1_000_000, using: &random))
      case 2: bench.decoder.handleTimeout(now: bench.now) { _ in }
      case 3 where Int.random(in: 0..<8, using: &random) == 0: bench.decoder.reset()
      case _: break
      }
    }
    bench.wait(.seconds(2))
    #expect(bench.decoder.nextTimeout == nil && bench.decoder.isBetweenEpochs)
    bench.send(sentence("GNRMC,091112.00,A,5000.0,N,01000.0,E,1.0,90.0,020326,,,A"))
    bench.wait(.seconds(1))
    #expect(bench.fixes.last?.time == "2026-03-02T09:11:12.000Z" && bench.fixes.last?.latitude == 50)
  }

  @Test(arguments: 0..<100)
  func aSentenceAfterAnyMixtureAndAnIncompleteFrameIsFound(seed: UInt64) {
    var mixture = ProtocolMixture(seed: 3000 + seed)
    let garbage = mixture.bytes(frames: 30) + mixture.halfFrame()
    let before = rmc(in: garbage)
    #expect(rmc(in: garbage + sentence(FramingTests.good)) == before + 1)
  }

  /// The framer waits at most 4,104 bytes for a false frame, so a receiver that never pauses is decoded, too.
  @Test(arguments: 0..<50)
  func noGarbageBlocksAReceiverThatNeverPauses(seed: UInt64) {
    var mixture = ProtocolMixture(seed: 4000 + seed)
    var bench = Bench()
    bench.send(mixture.bytes(frames: 20) + mixture.halfFrame())
    let before = bench.decoder.statistics.count(of: .rmc)
    let line = sentence(FramingTests.good)
    let count = 4104 / line.count + 1
    for _ in 0..<count { bench.send(line) }
    #expect(bench.decoder.statistics.count(of: .rmc) >= before + UInt64(count))
    #expect(bench.decoder.nextTimeout.map { $0 <= Moment.zero + .milliseconds(300) } ?? true)
  }

  @Test(
    .enabled(
      if: SharedRecordings.arePresent,
      "recordings are absent: put them in ../shared, or name their folder in OUTRIDER_SHARED"))
  func recordingsWithBitErrorsKeepThePromises() throws {
    var random = SplitMix64(seed: 7)
    var promises = DecoderPromises()
    for recording in RecordingTests.recordings {
      var bytes = [UInt8](try SharedRecordings.contents(of: "gnss/\(recording.name)").prefix(16_384))
      for _ in 0..<bytes.count / 300 {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      try bytes.withUnsafeBytes { try promises.check($0) }
      bytes.withUnsafeMutableBytes { ChecksumRepair.repair($0) }
      try bytes.withUnsafeBytes { try promises.check($0) }
    }
  }

  private func rmc(in bytes: [UInt8]) -> UInt64 {
    var bench = Bench()
    bench.send(bytes)
    bench.finish()
    return bench.decoder.statistics.count(of: .rmc)
  }
}
