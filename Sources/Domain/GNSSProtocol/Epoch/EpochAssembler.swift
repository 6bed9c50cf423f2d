import Quantities

/// Assembles the messages of one epoch and closes each epoch once.
///
/// The key is the time in the data, never the order of arrival. An epoch is closed by the last message that
/// usually adds something, by a message of another time, or by silence. Later messages for it are discarded
/// and never added to the next epoch.
struct EpochAssembler: Sendable {
  private enum Phase {
    case idle
    /// Messages are being collected; the epoch has no time until a sentence with a time arrives.
    case open(afterSilence: Bool)
    case closed(Ending)
  }

  private enum Ending {
    case lastMessage, otherTime, silence, mark
  }

  private var phase = Phase.idle
  /// The messages of the current epoch, or of the last one closed.
  private var collector = EpochCollector()
  private var clock: WaitingClock?
  private var order = MessageOrder()
  private var dates = DateKeeper()
  private var recent = RecentEpochs()
  private var interval = ReportingInterval()
  private var lastPosition: Position?
  private var inView = SatelliteCount()
  /// The last two epochs emitted with a date. A receiver may send the satellites of an epoch after it, and their end is
  /// found only after the next epoch.
  private var dated: (last: DatedEpoch?, previous: DatedEpoch?)
  private(set) var output = EpochOutput()

  /// True if every epoch is emitted as ``Reception/epoch(_:)``; otherwise it is only added to the summary.
  var reportsEpochs: Bool {
    get { output.reportsEpochs }
    set { output.reportsEpochs = newValue }
  }

  @inline(__always)
  var isOpen: Bool {
    if case .open = phase { true } else { false }
  }
  /// Silence that closes the current epoch.
  var silence: Duration { interval.silence }

  mutating func take<Message: EpochSentence>(_ message: Message, now: Moment, _ emit: (Reception) -> Void) {
    if let time = message.time {
      takeTimed(message, time, now: now, emit)
    } else if !Message.isTimed {
      takeUntimed(message)
    } else if message.hasValidPosition {
      takeTimeless(message, now: now, emit)
    }
    closeIfComplete(now: now, emit)
  }

  /// Processes a ZDA, which identifies no epoch: its time may be that of its transmission, or of the next pulse.
  ///
  /// If it is close to the time of an epoch, it belongs to that epoch. Otherwise it is kept until the message
  /// that identifies its epoch.
  mutating func takeClock(_ message: ZDA, now: Moment, _ emit: (Reception) -> Void) {
    guard let time = message.time else { return }
    giveClock(now: now, emit)
    if isOfKnownEpoch(message, at: time, now: now) {
      takeTimed(message, time, now: now, emit)
    } else {
      keepClock(message, time, now: now, emit)
    }
    closeIfComplete(now: now, emit)
  }

  /// Emits a clock sentence whose epoch did not arrive as an epoch without a position.
  mutating func giveClock(now: Moment, _ emit: (Reception) -> Void) {
    defer { clock = nil }
    guard let clock, clock.isLone else { return }
    self.clock = nil
    takeTimed(clock.message, clock.time, now: now, emit)
  }

  /// Records the number of satellites in view that the sentences of a talker report.
  @inline(__always)
  mutating func recordInView(_ count: Int, talker: Talker) { inView.record(count, talker: talker) }

  /// Records the number of satellites in view that `$PQGSV` reports.
  @inline(__always)
  mutating func recordVendorInView(_ count: Int) { inView.recordVendorCount(count) }

  /// Records the number of satellites in view that a binary message reports, instead of all sentences.
  @inline(__always)
  mutating func recordBinaryInView(_ count: Int) { inView.recordBinaryCount(count) }

  /// Emits a stored epoch, which is complete in one message. The current epoch and the learned order do not
  /// change.
  mutating func takeWhole(_ stored: NavigationSolution, _ emit: (Reception) -> Void) {
    guard stored.time != nil || stored.hasValidPosition else { return }
    var whole = Epoch()
    whole.time = stored.time
    stored.contribute(to: &whole)
    var fix = whole.fix
    whole.settle(&fix, day: nil, isRepetition: false)
    fix.isStored = true
    output.give(fix, isUsable: whole.hasUsablePosition, emit)
  }

  /// Closes the epoch at `time`, because the receiver reports its end. Only for a binary solution, because
  /// sentences of the epoch may follow the end of the binary messages.
  mutating func end(of time: EpochTime, now: Moment, _ emit: (Reception) -> Void) {
    guard isOpen, collector.epoch.isBinary, let open = collector.epoch.time, open.isSameInstant(as: time)
    else { return }
    close(.mark, now: now, emit)
  }

  /// The time of the epoch to which a sentence at `time` belongs; they may differ by the jitter of a
  /// receiver's sentences.
  func name(of time: EpochTime?) -> EpochTime? {
    guard let time, let own = collector.epoch.time, isJitter(time, own) else { return time }
    return own
  }

  /// UTC of the epoch at `time`, if that is the current or the last epoch.
  func timestamp(of time: EpochTime) -> Timestamp? {
    guard let own = collector.epoch.time, own.isSameInstant(as: time) else { return nil }
    if collector.epoch.isBinary { return collector.epoch.fix.timestamp }
    return dated.last?.timestamp(at: own)
  }

  /// UTC of the satellites at `time`, which is that of an epoch: the open one or one of the last two.
  func timestamp(ofSatellitesAt time: EpochTime, now: Moment) -> Timestamp? {
    if let timestamp = dated.last?.timestamp(at: time) ?? dated.previous?.timestamp(at: time) {
      return timestamp
    }
    guard isOpen, !collector.epoch.isBinary, collector.epoch.time == time else { return nil }
    // The date that the epoch will get, by a copy that forgets it again.
    var dates = dates
    let day = dates.day(
      own: collector.epoch.day ?? dates.dayByClock(at: time, now: now),
      hasFix: collector.epoch.hasUsablePosition,
      time: time.millisecond, now: now)
    return day.map {
      Timestamp(milliseconds: Int64($0) * Timestamp.millisecondsPerDay + Int64(time.millisecond))
    }
  }

  /// Closes the current epoch after silence.
  mutating func closeForSilence(now: Moment, _ emit: (Reception) -> Void) {
    if isOpen { close(.silence, now: now, emit) }
  }

  /// Discards the current epoch and the learned order of messages; a certain date remains.
  mutating func reset() {
    phase = .idle
    order.reset()
    recent = RecentEpochs()
    interval = ReportingInterval()
    lastPosition = nil
    clock = nil
  }

  private mutating func closeIfComplete(now: Moment, _ emit: (Reception) -> Void) {
    if isOpen, order.isLast(collector.lastSlot), collector.epoch.time != nil {
      close(.lastMessage, now: now, emit)
    }
  }

  private mutating func takeTimed<Message: EpochSentence>(
    _ message: Message, _ time: EpochTime, now: Moment, _ emit: (Reception) -> Void
  ) {
    if isOfKnownEpoch(message, at: time, now: now) {
      if isOpen, isOfEpoch(message, at: time) {
        _ = collector.takeUntimed()
        collector.add(message)
      } else {
        addLate(message, isForLastEpoch: isOfEpoch(message, at: time), now: now)
      }
      return
    }
    let announcement = clock == nil ? nil : takeAnnouncement(of: time, now: now, emit)
    let between = collector.takeUntimed()
    if case .open(afterSilence: true) = phase, collector.epoch.time == nil { order.recordBurstStart() }
    if isOpen, collector.isReportable { close(.otherTime, now: now, emit) }
    if !isOpen { open() }
    order.record(between: between)
    collector.identify(by: time)
    if let announcement { collector.add(announcement) }
    collector.add(message)
  }

  // Functions that only read are inlined: a call would first copy the whole assembler.

  /// True if the message belongs to the current epoch or to a recently closed one.
  @inline(__always)
  private func isOfKnownEpoch<Message: EpochSentence>(
    _ message: Message, at time: EpochTime, now: Moment
  ) -> Bool {
    let isFresh = recent.areFresh(now: now)
    return (isOpen || isFresh) && isOfEpoch(message, at: time) || isFresh && recent.contains(time)
  }

  /// True if the message at `time` belongs to the current epoch, or the last one closed.
  ///
  /// The time of a message with a position identifies its epoch, apart from the jitter of receivers that read
  /// their clock for every kind of sentence. Any other message belongs to the preceding position, because
  /// some receivers print its time of transmission.
  @inline(__always)
  private func isOfEpoch<Message: EpochSentence>(_ message: Message, at time: EpochTime) -> Bool {
    guard let own = collector.epoch.time else { return false }
    if own.isSameInstant(as: time) { return true }
    if Message.supplies.contains(.position) {
      return isJitter(time, own) && !collector.hasMessage(of: Message.kind)
    }
    return abs(time.offset(from: own)) < nearestStep
  }

  /// True if two sentences with these times may belong to one epoch.
  @inline(__always)
  private func isJitter(_ time: EpochTime, _ other: EpochTime) -> Bool {
    time.isPrinted(near: other, limit: min(Self.jitter + 1, nearestStep))
  }

  /// Milliseconds to the next epoch, at most the second within which a clock sentence dates an epoch.
  @inline(__always)
  private var nearestStep: Int32 { min(interval.milliseconds ?? .max, DateKeeper.clockReach) }

  /// Jitter of sentence times in milliseconds; sentences print hundredths of a second.
  private static let jitter: Int32 = 10

  /// Keeps a clock sentence that belongs to no epoch yet. One that is ahead by the reporting interval closes
  /// the current epoch.
  private mutating func keepClock(
    _ message: ZDA, _ time: EpochTime, now: Moment, _ emit: (Reception) -> Void
  ) {
    var kept = WaitingClock(message: message, time: time)
    if isOpen || recent.areFresh(now: now), let own = collector.epoch.time {
      let offset = time.offset(from: own)
      kept.isLone = abs(offset) >= DateKeeper.clockReach
      kept.isAhead =
        offset >= DateKeeper.clockReach || offset >= nearestStep && offset % nearestStep <= Self.jitter
    }
    clock = kept
    if isOpen, collector.epoch.time != nil, kept.isAhead { close(.otherTime, now: now, emit) }
    if let date = message.date { dates.record(date, at: time, now: now) }
  }

  /// The pending clock sentence if it shows `time`. One with a very different time becomes an epoch of its
  /// own.
  private mutating func takeAnnouncement(
    of time: EpochTime, now: Moment, _ emit: (Reception) -> Void
  ) -> ZDA? {
    guard let clock else { return nil }
    if abs(time.offset(from: clock.time)) >= DateKeeper.clockReach { giveClock(now: now, emit) }
    self.clock = nil
    return clock.time.isSameInstant(as: time) ? clock.message : nil
  }

  private mutating func takeUntimed<Message: EpochSentence>(_ message: Message) {
    if !isOpen {
      guard opensEpoch(Message.kind) else {
        addLate(message, isForLastEpoch: true, now: nil)
        return
      }
      open()
    }
    collector.add(message)
  }

  /// True if a sentence without a time opens an epoch. It belongs to the previous epoch unless such sentences
  /// are known to precede the timed ones. After silence, it belongs to the next epoch if the closed one
  /// already has its kind.
  @inline(__always)
  private func opensEpoch(_ kind: MessageKind) -> Bool {
    switch phase {
    case .open: false
    case .idle: true
    case .closed where clock?.isAhead ?? false: true
    case .closed(.silence): order.untimedLead || collector.hasMessage(of: kind)
    case .closed(.lastMessage), .closed(.otherTime), .closed(.mark): order.untimedLead
    }
  }

  /// Processes a valid position without a time: a separate epoch unless one with a time is open.
  private mutating func takeTimeless<Message: EpochSentence>(
    _ message: Message, now: Moment, _ emit: (Reception) -> Void
  ) {
    if isOpen, collector.epoch.time != nil { return }
    if isOpen, collector.epoch.hasUsablePosition { close(.otherTime, now: now, emit) }
    if !isOpen { open() }
    collector.add(message)
  }

  private mutating func open() {
    var isAfterSilence = false
    switch phase {
    case .closed(.lastMessage): order.evaluate(cameTooEarly: collector.wasIncomplete)
    case .closed(.silence): isAfterSilence = true
    case .idle, .open, .closed(.otherTime), .closed(.mark): break
    }
    phase = .open(afterSilence: isAfterSilence)
    collector.begin()
  }

  /// Uses a late message only for the date of the following epochs.
  private mutating func addLate<Message: EpochSentence>(
    _ message: Message, isForLastEpoch: Bool, now: Moment?
  ) {
    guard isForLastEpoch, !isOpen else { return }
    let hadDate = collector.epoch.day != nil || collector.epoch.isBinary
    collector.addLate(message)
    if !hadDate, let now, let day = collector.epoch.day, collector.epoch.hasUsablePosition {
      dates.remember(day, time: collector.epoch.time?.millisecond, now: now)
    }
  }

  private mutating func close(_ ending: Ending, now: Moment, _ emit: (Reception) -> Void) {
    guard collector.isReportable else {
      phase = .idle
      return
    }
    let isUsable = collector.epoch.hasUsablePosition
    phase = .closed(ending)
    order.learn(
      timed: collector.epoch.timed, last: collector.lastSlot, lastTimed: collector.lastTimedSlot,
      wasExpected: ending == .lastMessage)
    if let time = collector.epoch.time {
      recent.record(time, now: now)
      interval.record(time.millisecond)
    }
    // Dead reckoning without movement may repeat the last position.
    let (latitude, longitude) = (collector.epoch.fix.latitude, collector.epoch.fix.longitude)
    let isRepetition =
      !collector.epoch.isBinary && collector.epoch.reportedKind == .deadReckoning
      && latitude == lastPosition?.latitude && longitude == lastPosition?.longitude
    if isUsable, let latitude, let longitude {
      lastPosition = Position(latitude: latitude, longitude: longitude)
    }
    let hasFix = isUsable && !isRepetition
    let day = dates.day(
      own: collector.epoch.isBinary
        ? collector.epoch.fix.timestamp?.day : collector.epoch.day ?? dayByClock(now: now), hasFix: hasFix,
      time: collector.epoch.time?.millisecond, now: now)
    if !output.reportsEpochs, hasFix, let kind = collector.epoch.settledKind {
      inView.beginEpoch()
      output.count(
        kind, accuracySource: collector.epoch.fix.accuracySource, timestamp: collector.epoch.fix.timestamp,
        millisecondOfDay: collector.epoch.time?.millisecond)
      return remember(collector.epoch.fix.timestamp, at: collector.epoch.time?.millisecond)
    }
    var fix = collector.epoch.fix
    collector.settle(&fix, day: day, isRepetition: isRepetition)
    fix.satellitesSeen = inView.value.map(UInt8.init(clamping:))
    inView.beginEpoch()
    remember(fix.timestamp, at: fix.millisecondOfDay)
    output.give(fix, isUsable: hasFix, emit)
  }

  @inline(__always)
  private mutating func remember(_ timestamp: Timestamp?, at millisecondOfDay: Int32?) {
    guard let timestamp, let millisecondOfDay else { return }
    dated = (DatedEpoch(millisecondOfDay: millisecondOfDay, timestamp: timestamp), dated.last)
  }

  private mutating func dayByClock(now: Moment) -> Int? {
    collector.epoch.time.flatMap { dates.dayByClock(at: $0, now: now) }
  }
}
