import Quantities

/// Turns the bytes of a receiver, NMEA, UBX and CASIC in any mix, into one ``Fix`` for each epoch.
///
/// It reads no clock and keeps no thread: it is told the time with the bytes, and wants
/// ``handleTimeout(now:_:)`` no earlier than ``nextTimeout``. Other protocols on the line are skipped.
/// Sentences without a checksum are refused.
///
/// A plain struct: frames are read where they lie in one buffer that is allocated once, and everything else
/// is held in place, so no sentence costs an allocation as long as the decoder is not copied while in use.
public struct ReceiverDecoder: Sendable {
  private var framer = Framer()
  var assembler = EpochAssembler()
  var counts = DecodeStatistics()
  var ubx = UBXNavigation()
  var casic = CASICNavigation()
  var skies = SkyAssembler()
  private var lastBytes = Moment.zero

  /// Silence after which the rest of a half frame is not waited for any more.
  static let halfFrameSilence = Duration.milliseconds(600)

  /// Satellites in view are given out too, as ``Reception/sky(_:)``. Without it they are only counted, which
  /// costs next to nothing.
  public var reportsSky = false {
    // What is open would never be closed.
    didSet { if oldValue, !reportsSky { skies.reset() } }
  }
  /// How strongly the best satellite is heard is kept for ``takeStrongestSignal()``.
  public var hearsSignals = false {
    didSet { if !hearsSignals { strongestSignal = nil } }
  }
  var strongestSignal: UInt8?
  /// Epochs are given out, as ``Reception/epoch(_:)``. Without it they are only added to ``summary``, which spares
  /// whoever only counts the copies of every fix.
  public var reportsEpochs: Bool {
    get { assembler.output.reportsEpochs }
    set { assembler.output.reportsEpochs = newValue }
  }
  /// The epochs that were not given out because ``reportsEpochs`` was off.
  public var summary: Summary { assembler.output.summary }

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
    return assembler.isOpen || skies.isOpen ? lastBytes + assembler.silence : nil
  }

  /// Does nothing before ``nextTimeout``.
  public mutating func handleTimeout(now: Moment, _ emit: (Reception) -> Void) {
    guard let nextTimeout, now >= nextTimeout else { return }
    close(now: now, emit)
  }

  /// The recording is at its end: what waits is searched once more and the open epoch is closed.
  public mutating func finish(_ emit: (Reception) -> Void) {
    close(now: lastBytes, emit)
    assembler.giveClock(now: lastBytes, emit)
    assembler.closeForSilence(now: lastBytes, emit)
  }

  /// The port was opened again: drops half frames, the epoch in progress and the learned order. The counts
  /// stay, and a date that came with a fix.
  public mutating func reset() {
    framer.clear()
    assembler.reset()
    ubx = UBXNavigation()
    casic = CASICNavigation()
    skies.reset()
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
    statistics.epochs = assembler.output.epochs
    statistics.fixes = assembler.output.fixes
    return statistics
  }

  private mutating func close(now: Moment, _ emit: (Reception) -> Void) {
    while !framer.isEmpty {
      framer.abandonHalfFrame()
      drain(now: now, emit)
    }
    assembler.closeForSilence(now: now, emit)
    closeSky(emit)
  }

  private mutating func drain(now: Moment, _ emit: (Reception) -> Void) {
    // A second reference to the storage for reading, gone before it is written again.
    let storage = framer.storage
    storage.withUnsafeBytes { bytes in
      guard let text = bytes.baseAddress else { return }
      while let frame = framer.next(in: bytes) {
        switch frame {
        case .sentence(let body): take(SentenceFields(text: text, body: body), now: now, emit)
        case .ubx(let type, let id, let payload):
          takeUBX(
            class: type, id: id, payload: UnsafeRawBufferPointer(rebasing: bytes[payload]), now: now, emit)
        case .casic(let type, let id, let payload):
          takeCASIC(
            class: type, id: id, payload: UnsafeRawBufferPointer(rebasing: bytes[payload]), now: now, emit)
        case .sirf:
          if counts.count(of: .sirfBinary) == 0 { emit(.answer(.foreign(.sirfBinary))) }
          counts.note(.sirfBinary)
        }
      }
    }
  }
}
