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
  private var assembler = EpochAssembler()
  private var counts = DecodeStatistics()
  private var ubx = UBXNavigation()
  private var casic = CASICNavigation()
  private var satelliteAssembler = SatelliteReportAssembler()
  private var lastBytes = Moment.zero
  private var spans = EpochSpanMeter()
  private var talkers = TalkerChoice()

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
  private var strongestSignal: UInt8?
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

  /// The talkers of two sources of positions on the line: the one in use, and the one that is ignored. Nil with one source.
  public var rivalTalkers: (used: String, ignored: String)? {
    func text(_ letters: UInt16) -> String {
      String(
        decoding: [UInt8(truncatingIfNeeded: letters), UInt8(truncatingIfNeeded: letters >> 8)], as: UTF8.self
      )
    }
    return talkers.rivals.map { (text($0.used), text($0.ignored)) }
  }

  /// Discards incomplete frames, the current epoch and the learned order after the port was opened again. The
  /// counts remain, and so does a date that came with a fix.
  public mutating func reset() {
    framer.clear()
    assembler.reset()
    ubx = UBXNavigation()
    casic = CASICNavigation()
    talkers = TalkerChoice()
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
          counts.ignoredFrames.record(.messageSiRF)
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

// MARK: Sentences

extension ReceiverDecoder {
  fileprivate mutating func take(_ sentence: SentenceFields, now: Moment, _ emit: (Reception) -> Void) {
    var fields = sentence
    let address = SentenceAddress(&fields)
    guard address.kind != .vendorSentence else {
      takeVendors(sentence, address, now: now, emit)
      return
    }
    counts.record(address.kind, address.talker)
    guard address.kind != .otherSentence else {
      takeAnswer(sentence, address, emit)
      return
    }
    let talker = address.talker
    // Other equipment on a shared line repeats positions and times of other devices.
    guard talker != .other else {
      counts.ignoredFrames.record(sentence, address)
      return
    }
    guard isChosen(address, fields, now: now) else { return }
    switch address.kind {
    case .rmc: take(RMC(&fields, talker: talker), now: now, emit)
    case .gga: take(GGA(&fields, talker: talker), now: now, emit)
    case .gns: take(GNS(&fields, talker: talker), now: now, emit)
    case .gll: take(GLL(&fields, talker: talker), now: now, emit)
    case .vtg: assembler.take(VTG(&fields, talker: talker), now: now, emit)
    case .gsa:
      if reportsSatellites { takeUsed(UsedSatellites(fields, talker: talker), emit) }
      assembler.take(GSA(&fields, talker: talker), now: now, emit)
    case .gst: assembler.take(GST(&fields, talker: talker), now: now, emit)
    case .gbs: assembler.take(GBS(&fields, talker: talker), now: now, emit)
    case .zda: assembler.takeClock(ZDA(&fields, talker: talker), now: now, emit)
    case .gsv:
      if reportsSatellites { takeInView(GSV(fields, talker: talker), emit) }
      if reportsSignalStrength { recordSignals(GSV(fields, talker: talker)) }
      if let count = Self.satellitesInView(&fields) { assembler.recordInView(count, talker: talker) }
    case .vendorSentence, .pubx00, .pqtmepe, .psti030, .pqgsv, .pqgsa, .otherSentence, .navigationSolution,
      .navPOSLLH, .navSTATUS, .navDOP, .navSOL, .navVELNED, .navTIMEUTC, .navSVINFO, .navSAT, .navEOE,
      .otherUBX,
      .casicPV, .casicTIMEUTC, .otherCASIC, .sirfBinary:
      break
    }
  }

  /// True if a sentence is of the source whose positions are used.
  @inline(__always)
  private mutating func isChosen(_ address: SentenceAddress, _ fields: SentenceFields, now: Moment) -> Bool {
    if address.talker != .unlisted, !talkers.isNeeded {
      switch address.kind {
      case .rmc, .gga, .gns, .gll: talkers.noteReceiver(address.kind, address.letters, now: now)
      case _: break
      }
      return true
    }
    return isChosenOfSeveral(address, fields, now: now)
  }

  @inline(never)
  private mutating func isChosenOfSeveral(
    _ address: SentenceAddress, _ fields: SentenceFields, now: Moment
  ) -> Bool {
    var fields = fields
    let talker = address.talker
    let claim: TalkerChoice.Claim
    switch address.kind {
    case .rmc: claim = TalkerChoice.Claim(RMC(&fields, talker: talker))
    case .gga: claim = TalkerChoice.Claim(GGA(&fields, talker: talker))
    case .gns: claim = TalkerChoice.Claim(GNS(&fields, talker: talker))
    case .gll: claim = TalkerChoice.Claim(GLL(&fields, talker: talker))
    case _: claim = TalkerChoice.Claim()
    }
    return talkers.admits(address.kind, of: talker, address.letters, claim, now: now)
  }

  private mutating func takeVendors(
    _ sentence: SentenceFields, _ address: SentenceAddress, now: Moment, _ emit: (Reception) -> Void
  ) {
    var fields = sentence
    switch VendorSentence(&fields) {
    case .pubx00:
      counts.record(.pubx00)
      take(PUBX00(&fields), now: now, emit)
    case .pqtmepe:
      counts.record(.pqtmepe)
      assembler.take(PQTMEPE(&fields), now: now, emit)
    case .psti030:
      counts.record(.psti030)
      take(PSTI030(&fields), now: now, emit)
    case .pqgsv:
      counts.record(.pqgsv)
      if reportsSatellites { takeInView(GSV(fields, talker: .beidou), emit) }
      if reportsSignalStrength { recordSignals(GSV(fields, talker: .beidou)) }
      if let count = Self.satellitesInView(&fields) { assembler.recordVendorInView(count) }
    case .pqgsa:
      counts.record(.pqgsa)
      if reportsSatellites { takeUsed(UsedSatellites(fields, talker: .beidou, isVendors: true), emit) }
    case nil:
      counts.record(.vendorSentence)
      takeAnswer(sentence, address, emit)
    }
  }

  /// Reads the number of satellites in view from the first sentence of a GSV group; nil for the others, which repeat it.
  @inline(__always)
  private static func satellitesInView(_ fields: inout SentenceFields) -> Int? {
    fields.skipToFirstOfGroup() ? fields.next().whole : nil
  }

  private mutating func takeAnswer(
    _ sentence: SentenceFields, _ address: SentenceAddress, _ emit: (Reception) -> Void
  ) {
    guard let answer = ReceiverAnswer(sentence: sentence.remainder) else {
      counts.ignoredFrames.record(sentence, address)
      return
    }
    emit(.answer(answer))
  }

  /// Processes a sentence that carries a time.
  @inline(__always)
  private mutating func take<Message: EpochSentence>(
    _ message: Message, now: Moment, _ emit: (Reception) -> Void
  ) {
    assembler.take(message, now: now, emit)
    if reportsSatellites { takeTime(assembler.name(of: message.time), emit) }
  }

  private mutating func takeTime(_ time: EpochTime?, _ emit: (Reception) -> Void) {
    let timestamp = satelliteAssembler.isCompleted(by: time) ? timestampOfOpenSatellites : nil
    satelliteAssembler.take(time) { give($0, timestamp, emit) }
  }

  private mutating func takeInView(_ message: GSV?, _ emit: (Reception) -> Void) {
    guard let message else { return }
    let timestamp = satelliteAssembler.isCompleted(by: message) ? timestampOfOpenSatellites : nil
    satelliteAssembler.take(message) { give($0, timestamp, emit) }
  }

  private mutating func takeUsed(_ message: UsedSatellites, _ emit: (Reception) -> Void) {
    let timestamp = satelliteAssembler.isCompleted(by: message) ? timestampOfOpenSatellites : nil
    satelliteAssembler.take(message) { give($0, timestamp, emit) }
  }

  fileprivate mutating func closeSatelliteReport(_ emit: (Reception) -> Void) {
    guard reportsSatellites else { return }
    let timestamp = timestampOfOpenSatellites
    satelliteAssembler.closeForSilence { give($0, timestamp, emit) }
  }

  /// UTC of the satellites that wait; nil if their epoch has none.
  private var timestampOfOpenSatellites: Timestamp? {
    satelliteAssembler.openTime.flatMap { assembler.timestamp(ofSatellitesAt: $0, now: lastBytes) }
  }
}

// MARK: Binary messages

extension ReceiverDecoder {
  fileprivate mutating func takeUBX(
    class type: UInt8, id: UInt8, payload: UnsafeRawBufferPointer, now: Moment, _ emit: (Reception) -> Void
  ) {
    guard type == 0x01 else {
      // HNR-PVT (class 28) is counted here, too; it is never a fix.
      counts.record(.otherUBX)
      var isUsed = false
      if type == 0x21, id == 0x11, let stored = NavigationSolution(batch: payload) {
        assembler.takeWhole(stored, emit)
        isUsed = true
      }
      ReceiverAnswer.each(class: type, id: id, payload: payload) { answer in
        emit(.answer(answer))
        isUsed = true
      }
      if !isUsed { counts.ignoredFrames.record(.messageUBX, class: type, id: id) }
      return
    }
    switch id {
    case 0x07:
      counts.record(.navigationSolution)
      if let solution = ubx.solution(payload) { assembler.take(solution, now: now, emit) }
    case 0x02:
      counts.record(.navPOSLLH)
      take(NavPOSLLH(payload: payload).flatMap { ubx.take($0) }, now: now, emit)
    case 0x03:
      counts.record(.navSTATUS)
      ReceiverAnswer.each(class: type, id: id, payload: payload) { emit(.answer($0)) }
      take(NavSTATUS(payload: payload).flatMap { ubx.take($0) }, now: now, emit)
    case 0x04:
      counts.record(.navDOP)
      guard let message = NavDOP(payload: payload) else { return }
      take(ubx.take(message), now: now, emit)
      if let late = ubx.late(message) { assembler.take(late, now: now, emit) }
    case 0x06:
      counts.record(.navSOL)
      take(NavSOL(payload: payload).flatMap { ubx.take($0) }, now: now, emit)
    case 0x12:
      counts.record(.navVELNED)
      take(NavVELNED(payload: payload).flatMap { ubx.take($0) }, now: now, emit)
    case 0x21:
      counts.record(.navTIMEUTC)
      take(NavTIMEUTC(payload: payload).flatMap { ubx.take($0) }, now: now, emit)
    case 0x26:
      counts.record(.otherUBX)
      if let message = NavTIMELS(payload: payload) { ubx.take(message) }
    case 0x30:
      counts.record(.navSVINFO)
      if let message = NavSVINFO(payload: payload) { take(message, emit) }
    case 0x35:
      counts.record(.navSAT)
      if let message = NavSAT(payload: payload) { take(message, emit) }
    case 0x61:
      counts.record(.navEOE)
      guard let message = NavEOE(payload: payload), let time = ubx.time(of: message.iTOW) else { return }
      assembler.end(of: time, now: now, emit)
    case _:
      counts.record(.otherUBX)
      counts.ignoredFrames.record(.messageUBX, class: type, id: id)
    }
  }

  fileprivate mutating func takeCASIC(
    class type: UInt8, id: UInt8, payload: UnsafeRawBufferPointer, now: Moment, _ emit: (Reception) -> Void
  ) {
    let outcome: CASICNavigation.Outcome?
    switch (type, id) {
    case (0x01, 0x03):
      counts.record(.casicPV)
      outcome = CASICNavPV(payload: payload).flatMap { casic.take($0) }
    case (0x01, 0x10):
      counts.record(.casicTIMEUTC)
      outcome = CASICNavTIMEUTC(payload: payload).flatMap { casic.take($0) }
    case _:
      counts.record(.otherCASIC)
      if let answer = ReceiverAnswer(casicClass: type, id: id, payload: payload) {
        emit(.answer(answer))
      } else {
        counts.ignoredFrames.record(.messageCASIC, class: type, id: id)
      }
      outcome = nil
    }
    switch outcome {
    case .solution(let solution): assembler.take(solution, now: now, emit)
    case .accuracy(let accuracy): assembler.take(accuracy, now: now, emit)
    case nil: break
    }
  }

  private mutating func take(_ parts: NavigationParts?, now: Moment, _ emit: (Reception) -> Void) {
    if let parts { assembler.take(parts, now: now, emit) }
  }

  private mutating func take(_ message: NavSAT, _ emit: (Reception) -> Void) {
    assembler.recordBinaryInView(message.numSvs)
    if reportsSignalStrength { recordSignals(message) }
    guard reportsSatellites else { return }
    let (time, timestamp) = instant(of: message.iTOW)
    satelliteAssembler.take(message, time: time, dilutions: ubx.dilutions(of: message.iTOW)) {
      satelliteReport in
      give(satelliteReport, timestamp, emit)
    }
  }

  private mutating func take(_ message: NavSVINFO, _ emit: (Reception) -> Void) {
    var inView = 0
    for index in 0..<message.numCh where message.satellite(index) != nil { inView += 1 }
    assembler.recordBinaryInView(inView)
    if reportsSignalStrength { recordSignals(message) }
    guard reportsSatellites else { return }
    let (time, timestamp) = instant(of: message.iTOW)
    satelliteAssembler.take(message, time: time, dilutions: ubx.dilutions(of: message.iTOW)) {
      satelliteReport in
      give(satelliteReport, timestamp, emit)
    }
  }

  /// The time that identifies the epoch of `iTOW`, and UTC if it is known.
  private func instant(of iTOW: UInt32) -> (EpochTime?, Timestamp?) {
    // A request for satellites must not change a fix.
    let time = ubx.clock.timeNow(of: iTOW)
    return (time, time.flatMap { assembler.timestamp(of: $0) } ?? ubx.clock.timestamp(of: iTOW))
  }
}

/// Emits satellites with their date.
private func give(_ satelliteReport: SatelliteReport, _ timestamp: Timestamp?, _ emit: (Reception) -> Void) {
  var satelliteReport = satelliteReport
  satelliteReport.timestamp = timestamp
  emit(.satelliteReport(satelliteReport))
}

// MARK: Signal strength

extension ReceiverDecoder {
  /// Carrier-to-noise density in dBHz of the strongest satellite since the last call. It is 0 if the receiver
  /// reported satellites and tracks none, and nil if it reported none or ``reportsSignalStrength`` is off.
  public mutating func takeStrongestSignal() -> UInt8? {
    defer { strongestSignal = nil }
    return strongestSignal
  }

  fileprivate mutating func recordSignals(_ sentence: GSV?) {
    guard var sentence else { return }
    var strongest = strongestSignal ?? 0
    while let satellite = sentence.next() { strongest = max(strongest, satellite.signal ?? 0) }
    strongestSignal = strongest
  }

  fileprivate mutating func recordSignals(_ message: NavSAT) {
    recordSignals(count: message.numSvs) { message.satellite($0)?.signal }
  }

  fileprivate mutating func recordSignals(_ message: NavSVINFO) {
    recordSignals(count: message.numCh) { message.satellite($0)?.signal }
  }

  @inline(__always)
  private mutating func recordSignals(count: Int, _ signal: (Int) -> UInt8?) {
    var strongest = strongestSignal ?? 0
    for index in 0..<count { strongest = max(strongest, signal(index) ?? 0) }
    strongestSignal = strongest
  }
}

/// An epoch that was emitted with its date.
struct DatedEpoch {
  let millisecondOfDay: Int32
  let timestamp: Timestamp

  /// The timestamp, if `time` is that of this epoch.
  func timestamp(at time: EpochTime) -> Timestamp? {
    time.millisecond == millisecondOfDay ? timestamp : nil
  }
}
