import Quantities

/// Decodes the bytes of a receiver, a mixture of NMEA, UBX and CASIC, into one ``Fix`` per epoch.
///
/// The decoder reads no clock and has no thread. The owner passes the time with the bytes, and calls
/// ``handleTimeout(now:_:)`` no earlier than ``nextTimeout``. Other protocols are skipped. Sentences without
/// a checksum are rejected.
///
/// A plain struct: frames are parsed in one buffer that is allocated once, and all other state is stored
/// inline. No sentence costs an allocation, as long as the decoder is not copied while in use.
public struct ReceiverDecoder: Sendable {
  private var framer = Framer()
  var assembler = EpochAssembler()
  var counts = DecodeStatistics()
  var ubx = UBXNavigation()
  var casic = CASICNavigation()
  var satelliteAssembler = SatelliteReportAssembler()
  private var lastBytes = Moment.zero
  private var spans = EpochSpanMeter()

  /// Silence after which an incomplete frame is discarded.
  static let halfFrameSilence = Duration.milliseconds(600)

  /// True to emit the satellites in view, as ``Reception/satelliteReport(_:)``. Otherwise they are only counted, which costs almost
  /// nothing.
  public var reportsSatellites = false {
    // A report in progress would never be completed.
    didSet { if oldValue, !reportsSatellites { satelliteAssembler.reset() } }
  }
  /// True to record the signal strength of the best satellite for ``takeStrongestSignal()``.
  public var reportsSignalStrength = false {
    didSet { if !reportsSignalStrength { strongestSignal = nil } }
  }
  var strongestSignal: UInt8?
  /// True to emit epochs, as ``Reception/epoch(_:)``. Otherwise they are only added to ``summary``, which saves the
  /// copies of every fix if only counts are needed.
  public var reportsEpochs: Bool {
    get { assembler.reportsEpochs }
    set { assembler.reportsEpochs = newValue }
  }
  /// Summary of the epochs that were not emitted because ``reportsEpochs`` was off.
  public var summary: Summary { assembler.output.summary }

  public init() {}

  /// Processes bytes that were received at `now` and calls `emit` for every epoch they complete, including epochs
  /// without a fix.
  public mutating func decode(_ bytes: UnsafeRawBufferPointer, at now: Moment, _ emit: (Reception) -> Void) {
    guard !bytes.isEmpty else { return }
    lastBytes = now
    var remainder = bytes
    while !remainder.isEmpty {
      let taken = framer.fill(from: remainder)
      remainder = UnsafeRawBufferPointer(rebasing: remainder[taken...])
      drain(now: now, emit)
    }
  }

  /// The time at which silence closes the current epoch or discards an incomplete frame; nil if there is
  /// neither.
  ///
  /// An incomplete frame shows that the epoch is still arriving, so the epoch is not closed before the frame
  /// is resolved.
  public var nextTimeout: Moment? {
    if !framer.isEmpty { return lastBytes + Self.halfFrameSilence }
    return assembler.isOpen || satelliteAssembler.isOpen ? lastBytes + assembler.silence : nil
  }

  /// Processes deadlines. It does nothing before ``nextTimeout``.
  public mutating func handleTimeout(now: Moment, _ emit: (Reception) -> Void) {
    guard let nextTimeout, now >= nextTimeout else { return }
    close(now: now, emit)
  }

  /// Ends the recording: scans the remaining bytes again and closes the current epoch.
  public mutating func finish(_ emit: (Reception) -> Void) {
    close(now: lastBytes, emit)
    assembler.giveClock(now: lastBytes, emit)
    assembler.closeForSilence(now: lastBytes, emit)
  }

  /// Discards incomplete frames, the current epoch and the learned order after the port was opened again. The
  /// counts remain, and so does a date that came with a fix.
  public mutating func reset() {
    framer.clear()
    assembler.reset()
    ubx = UBXNavigation()
    casic = CASICNavigation()
    satelliteAssembler.reset()
  }

  /// True if no epoch is open and no frame is incomplete.
  public var isBetweenEpochs: Bool { framer.isEmpty && !assembler.isOpen }

  /// The span of the last epoch; nil if silence or the next epoch closed it, or before the first one.
  public var lastSpan: EpochSpan? { spans.last }

  /// Number of frames with a valid checksum, of all protocols.
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
    spans.reset()
    assembler.closeForSilence(now: now, emit)
    closeSatelliteReport(emit)
  }

  private mutating func drain(now: Moment, _ emit: (Reception) -> Void) {
    // A second reference to the storage for reading, released before the next write.
    let storage = framer.storage
    storage.withUnsafeBytes { bytes in
      guard let text = bytes.baseAddress else { return }
      var begin = framer.position
      while let frame = framer.next(in: bytes) {
        let (wasOpen, epochs) = (assembler.isOpen, assembler.output.epochs)
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
          counts.record(.sirfBinary)
        }
        let end = framer.position
        spans.record(
          begin, end, at: now, wasOpen: wasOpen, isOpen: assembler.isOpen,
          closed: assembler.output.epochs &- epochs)
        begin = end
      }
    }
  }
}
