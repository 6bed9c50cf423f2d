import Quantities
import GNSSProtocol

/// The promises for any bytes on a receiver's line, checked for one input at a time.
///
/// The fuzz target and the tests check the same promises. Buffers are kept from one input to the next.
struct DecoderPromises {
  enum Breach: Error, Equatable {
    case receptionsDependOnPieces(whole: Int, inPieces: Int)
    case satelliteReportsDependOnPieces(whole: Int, inPieces: Int)
    case fixesDependOnSatelliteReports(with: Int, without: Int)
    case satelliteTwice(SatelliteReport)
    case statisticsDependOnPieces(DecodeStatistics, DecodeStatistics)
    case listingDependsOnPieces(whole: Int, inPieces: Int)
    case linesAreNotFrames(lines: Int, frames: UInt64)
    case moreDiscardedThanSent(UInt64, sent: Int)
    case waitsAfterTimeout(Moment)
    case waitsAfterEnd
    case positionOutOfRange(Fix)
    case storageMoved(at: Int)
    case sentenceIsNotFound(behind: Int)
  }

  private var whole = Reading()
  private var other = Reading()

  /// Throws the first promise that `bytes` break.
  mutating func check(_ bytes: UnsafeRawBufferPointer) throws(Breach) {
    whole.take(bytes, cut: .not)
    try Self.check(whole, of: bytes)
    try compareWhole(with: .byItself, bytes)
    if bytes.count <= 256 { try compareWhole(with: .everywhere, bytes) }
    other.take(bytes, cut: .not, reportsSatellites: false)
    guard whole.fixes == other.fixes, other.satelliteReports.isEmpty else {
      throw .fixesDependOnSatelliteReports(with: whole.fixes.count, without: other.fixes.count)
    }
    try Self.passTime(during: bytes)
    try Self.findSentence(behind: bytes)
  }

  private mutating func compareWhole(with cut: Cut, _ bytes: UnsafeRawBufferPointer) throws(Breach) {
    other.take(bytes, cut: cut)
    guard whole.fixes == other.fixes, whole.answers == other.answers else {
      throw .receptionsDependOnPieces(
        whole: whole.fixes.count + whole.answers.count, inPieces: other.fixes.count + other.answers.count)
    }
    guard whole.satelliteReports == other.satelliteReports else {
      throw .satelliteReportsDependOnPieces(
        whole: whole.satelliteReports.count, inPieces: other.satelliteReports.count)
    }
    guard whole.statistics == other.statistics else {
      throw .statisticsDependOnPieces(whole.statistics, other.statistics)
    }
    guard whole.listing == other.listing else {
      throw .listingDependsOnPieces(whole: whole.listing.count, inPieces: other.listing.count)
    }
  }

  private static func check(_ reading: Reading, of bytes: UnsafeRawBufferPointer) throws(Breach) {
    guard reading.isBetweenEpochs else { throw .waitsAfterEnd }
    let statistics = reading.statistics
    let lines = reading.listing.count { $0 == UInt8(ascii: "\n") }
    guard UInt64(lines) == statistics.frames else {
      throw .linesAreNotFrames(lines: lines, frames: statistics.frames)
    }
    guard statistics.discardedBytes <= UInt64(bytes.count) else {
      throw .moreDiscardedThanSent(statistics.discardedBytes, sent: bytes.count)
    }
    for fix in reading.fixes where fix.kind != .none {
      guard let latitude = fix.latitude, let longitude = fix.longitude, abs(latitude) <= 90,
        abs(longitude) <= 180, (0..<360).contains(fix.course ?? 0)
      else { throw .positionOutOfRange(fix) }
    }
    for seen in reading.satelliteReports {
      let names = Set(seen.satelliteReport.satellites.map(\.id))
      guard names.count == seen.satelliteReport.satellites.count, names.count <= SatelliteReport.limit else {
        throw .satelliteTwice(seen.satelliteReport)
      }
    }
  }

  /// Checks pauses between the pieces, from none to half a year. After a due timeout nothing may remain
  /// pending, because a loop that immediately polls again would never sleep.
  private static func passTime(during bytes: UnsafeRawBufferPointer) throws(Breach) {
    var decoder = ReceiverDecoder()
    var now = Moment.zero
    for piece in Cut.byItself.pieces(of: bytes) {
      decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[piece]), at: now) { _ in }
      let pause = bytes[piece.lowerBound]
      now = now + Duration.milliseconds(1 &<< Int64(pause % 35) &- 1)
      guard let timeout = decoder.nextTimeout, timeout <= now else { continue }
      decoder.handleTimeout(now: now) { _ in }
      if let timeout = decoder.nextTimeout { throw .waitsAfterTimeout(timeout) }
      if pause >= 0xF0 { decoder.reset() }
    }
  }

  private static let sentence = Array("$GNGLL,4500.0,N,00700.0,E,101112.00,A,A*73\r\n".utf8)

  /// Checks that a valid sentence after the bytes is found, unless a binary frame with a valid checksum
  /// reaches into it, and that the storage is not reallocated. Inputs larger than the storage are skipped.
  private static func findSentence(behind bytes: UnsafeRawBufferPointer) throws(Breach) {
    guard bytes.count + sentence.count <= Framer.capacity else { return }
    var framer = Framer()
    let address = framer.storage.withUnsafeBytes { $0.baseAddress }
    for piece in Cut.byItself.pieces(of: bytes) {
      // Nothing is consumed in between, so offsets in the storage are offsets in the bytes.
      _ = framer.fill(from: UnsafeRawBufferPointer(rebasing: bytes[piece]))
    }
    _ = sentence.withUnsafeBytes { framer.fill(from: $0) }
    guard framer.storage.withUnsafeBytes({ $0.baseAddress }) == address,
      framer.storage.count == Framer.capacity + Framer.slack
    else { throw .storageMoved(at: bytes.count) }

    let isFound = framer.storage.withUnsafeBytes { storage in
      while true {
        while let frame = framer.next(in: storage) {
          switch frame {
          case .sentence(let body): if body.lowerBound == bytes.count + 1 { return true }
          case .ubx(_, _, let payload): if payload.upperBound + 2 > bytes.count { return true }
          case .casic(_, _, let payload): if payload.upperBound + 4 > bytes.count { return true }
          case .sirf: break
          }
        }
        if framer.isEmpty { return false }
        framer.abandonHalfFrame()
      }
    }
    guard isFound else { throw .sentenceIsNotFound(behind: bytes.count) }
  }
}
