import GNSS
import Quantities

/// The complete output of decoder and listing for one stream of bytes.
struct Reading {
  private(set) var fixes: [Fix] = []
  /// Each with the number of fixes before it.
  private(set) var answers: [Answer] = []
  /// Each with the number of fixes before it.
  private(set) var skies: [SeenSky] = []
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

  struct SeenSky: Equatable {
    var fixes: Int
    var sky: Sky
  }

  /// Discards the previous output and reads `bytes`, divided into pieces.
  mutating func take(_ bytes: UnsafeRawBufferPointer, cut: Cut, reportsSky: Bool = true) {
    fixes.removeAll(keepingCapacity: true)
    answers.removeAll(keepingCapacity: true)
    skies.removeAll(keepingCapacity: true)
    listing.removeAll(keepingCapacity: true)
    report.removeAll(keepingCapacity: true)
    var decoder = ReceiverDecoder()
    decoder.reportsSky = reportsSky
    var messages = MessageListing()
    for piece in cut.pieces(of: bytes) {
      let piece = UnsafeRawBufferPointer(rebasing: bytes[piece])
      decoder.decode(piece, at: .zero) { note($0) }
      messages.list(piece, into: &listing)
    }
    decoder.finish { note($0) }
    messages.finish(into: &listing)
    statistics = decoder.statistics
    isBetweenEpochs = decoder.isBetweenEpochs && decoder.nextTimeout == nil
    writeReport(bytes: bytes.count)
  }

  private mutating func note(_ reception: Reception) {
    switch reception {
    case .epoch(let fix): fixes.append(fix)
    case .answer(let answer): answers.append(Answer(fixes: fixes.count, answer: answer))
    case .sky(let sky): skies.append(SeenSky(fixes: fixes.count, sky: sky))
    }
  }

  private mutating func writeReport(bytes: Int) {
    var summary = Summary()
    for fix in fixes {
      TPV.append(fix, to: &report)
      summary.add(fix)
    }
    for seen in skies { SKY.append(seen.sky, to: &report) }
    summary.append(statistics, bytes: UInt64(bytes), to: &report)
  }
}
