import Quantities

/// Turns the bytes of a receiver, NMEA and UBX in any mix, into one ``Fix`` for each epoch.
///
/// It reads no clock and keeps no thread: it is told the time with the bytes, and wants
/// ``handleTimeout(now:_:)`` no earlier than ``nextTimeout``. Other protocols on the line are skipped.
/// Sentences without a checksum are refused.
///
/// A plain struct: frames are read where they lie in one buffer that is allocated once, and everything else
/// is held in place, so no sentence costs an allocation as long as the decoder is not copied while in use.
public struct ReceiverDecoder: Sendable {
  private var framer = Framer()
  private var assembler = EpochAssembler()
  private var counts = DecodeStatistics()
  private var lastBytes = Moment.zero

  /// Silence after which the rest of a half frame is not waited for any more.
  static let halfFrameSilence = Duration.milliseconds(600)

  public init() {}

  /// Takes bytes that were received at `now` and calls `emit` for every epoch they close, those without a
  /// fix included.
  public mutating func decode(_ bytes: UnsafeRawBufferPointer, at now: Moment, _ emit: (Reception) -> Void) {
    guard !bytes.isEmpty else { return }
    lastBytes = now
    var rest = bytes
    while !rest.isEmpty {
      let taken = framer.fill(from: rest)
      rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
      drain(now: now, emit)
    }
  }

  /// When silence closes the epoch in progress, or gives up a half frame; nil when neither waits.
  ///
  /// While a half frame waits the epoch is still coming in, so it is not closed before.
  public var nextTimeout: Moment? {
    if !framer.isEmpty { return lastBytes + Self.halfFrameSilence }
    return assembler.isOpen ? lastBytes + assembler.silence : nil
  }

  /// Does nothing before ``nextTimeout``.
  public mutating func handleTimeout(now: Moment, _ emit: (Reception) -> Void) {
    guard let nextTimeout, now >= nextTimeout else { return }
    close(now: now, emit)
  }

  /// The recording is at its end: what waits is searched once more and the open epoch is closed.
  public mutating func finish(_ emit: (Reception) -> Void) { close(now: lastBytes, emit) }

  /// The port was opened again: drops half frames, the epoch in progress and the learned order. The counts
  /// stay, and a date that came with a fix.
  public mutating func reset() {
    framer.clear()
    assembler.reset()
  }

  /// No epoch is open and no half frame waits.
  public var isBetweenEpochs: Bool { framer.isEmpty && !assembler.isOpen }

  /// Frames with a right checksum, of any protocol.
  public var frames: UInt64 { counts.frames }

  public var statistics: DecodeStatistics {
    var statistics = counts
    statistics.checksumErrors = framer.checksumErrors
    statistics.uncheckedSentences = framer.uncheckedSentences
    statistics.discardedBytes = framer.discardedBytes
    statistics.epochs = assembler.epochs
    statistics.fixes = assembler.fixes
    return statistics
  }

  private mutating func close(now: Moment, _ emit: (Reception) -> Void) {
    while !framer.isEmpty {
      framer.abandonHalfFrame()
      drain(now: now, emit)
    }
    assembler.closeForSilence(now: now, emit)
  }

  private mutating func drain(now: Moment, _ emit: (Reception) -> Void) {
    // A second reference to the storage for reading, gone before it is written again.
    let storage = framer.storage
    storage.withUnsafeBytes { bytes in
      guard let text = bytes.baseAddress else { return }
      while let frame = framer.next(in: bytes) {
        switch frame {
        case .sentence(let body): take(sentence: text, body, now: now, emit)
        case .ubx(let type, let id, let payload):
          take(class: type, id: id, payload: UnsafeRawBufferPointer(rebasing: bytes[payload]), now: now, emit)
        case .casic(let type, let id, let payload):
          counts.note(.otherCASIC)
          let payload = UnsafeRawBufferPointer(rebasing: bytes[payload])
          if let answer = ReceiverAnswer(casicClass: type, id: id, payload: payload) { emit(.answer(answer)) }
        case .sirf:
          if counts.count(of: .sirfBinary) == 0 { emit(.answer(.foreign(.sirfBinary))) }
          counts.note(.sirfBinary)
        }
      }
    }
  }

  private mutating func take(
    sentence text: UnsafeRawPointer, _ body: Range<Int>, now: Moment, _ emit: (Reception) -> Void
  ) {
    var fields = SentenceFields(text: text, body: body)
    let address = SentenceAddress(&fields)
    counts.note(address.kind, address.talker)
    let talker = address.talker
    switch address.kind {
    case .otherSentence, .vendorSentence:
      let body = UnsafeRawBufferPointer(start: text + body.lowerBound, count: body.count)
      if let answer = ReceiverAnswer(sentence: body) { emit(.answer(answer)) }
    // Other instruments on a shared line repeat positions and times that are not theirs.
    case _ where talker == .other: break
    case .rmc: assembler.take(RMC(&fields, talker: talker), now: now, emit)
    case .gga: assembler.take(GGA(&fields, talker: talker), now: now, emit)
    case .gns: assembler.take(GNS(&fields, talker: talker), now: now, emit)
    case .gll: assembler.take(GLL(&fields, talker: talker), now: now, emit)
    case .vtg: assembler.take(VTG(&fields, talker: talker), now: now, emit)
    case .gsa: assembler.take(GSA(&fields, talker: talker), now: now, emit)
    case .gst: assembler.take(GST(&fields, talker: talker), now: now, emit)
    case .zda: assembler.take(ZDA(&fields, talker: talker), now: now, emit)
    case .gsv, .navigationSolution, .otherUBX, .otherCASIC, .sirfBinary: break
    }
  }

  private mutating func take(
    class type: UInt8, id: UInt8, payload: UnsafeRawBufferPointer, now: Moment, _ emit: (Reception) -> Void
  ) {
    switch (type, id) {
    case (0x01, 0x07):
      counts.note(.navigationSolution)
      if let solution = NavigationSolution(payload: payload) { assembler.take(solution, now: now, emit) }
    case _:
      counts.note(.otherUBX)
      ReceiverAnswer.each(class: type, id: id, payload: payload) { emit(.answer($0)) }
    }
  }
}
