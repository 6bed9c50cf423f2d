import GNSSProtocol
import GNSSReport
import Quantities

/// The complete output of decoder and listing for one stream of bytes.
struct Reading {
  private(set) var fixes: [Fix] = []
  /// Each with the number of fixes before it.
  private(set) var answers: [Answer] = []
  /// Each with the number of fixes before it.
  private(set) var satelliteReports: [SeenSatelliteReport] = []
  private(set) var statistics = DecodeStatistics()
  private(set) var isBetweenEpochs = true
  /// A line for each frame.
  private(set) var listing: [UInt8] = []
  /// A TPV report for each fix, a SKY report for each set of satellites, and the summary.
  private(set) var report: [UInt8] = []

  struct Answer: Equatable {
    var fixes: Int
    var answer: ReceiverAnswer
  }

  struct SeenSatelliteReport: Equatable {
    var fixes: Int
    var satelliteReport: SatelliteReport
  }

  /// Discards the previous output and reads `bytes`, divided into pieces.
  mutating func take(_ bytes: UnsafeRawBufferPointer, cut: Cut, reportsSatellites: Bool = true) {
    fixes.removeAll(keepingCapacity: true)
    answers.removeAll(keepingCapacity: true)
    satelliteReports.removeAll(keepingCapacity: true)
    listing.removeAll(keepingCapacity: true)
    report.removeAll(keepingCapacity: true)
    var decoder = ReceiverDecoder()
    decoder.reportsSatellites = reportsSatellites
    var messages = MessageListing()
    for piece in cut.pieces(of: bytes) {
      let piece = UnsafeRawBufferPointer(rebasing: bytes[piece])
      decoder.decode(piece, at: .zero) { record($0) }
      messages.list(piece, into: &listing)
    }
    decoder.finish { record($0) }
    messages.finish(into: &listing)
    statistics = decoder.statistics
    isBetweenEpochs = decoder.isBetweenEpochs && decoder.nextTimeout == nil
    writeReport(bytes: bytes.count)
  }

  private mutating func record(_ reception: Reception) {
    switch reception {
    case .epoch(let fix): fixes.append(fix)
    case .answer(let answer): answers.append(Answer(fixes: fixes.count, answer: answer))
    case .satelliteReport(let satelliteReport):
      satelliteReports.append(SeenSatelliteReport(fixes: fixes.count, satelliteReport: satelliteReport))
    }
  }

  private mutating func writeReport(bytes: Int) {
    var summary = Summary()
    for fix in fixes {
      TPV.append(fix, to: &report)
      summary.add(fix)
    }
    for seen in satelliteReports { SKY.append(seen.satelliteReport, to: &report) }
    summary.append(statistics, bytes: UInt64(bytes), to: &report)
  }
}
