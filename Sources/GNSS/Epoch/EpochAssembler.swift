import Quantities

/// Puts the messages of one instant together and closes each epoch once.
///
/// The time in the data is the key, never the order of arrival. An epoch is closed by the learned last
/// message that adds something, by a message of another time, or by silence; what comes for it later is
/// dropped and never added to the next.
struct EpochAssembler: Sendable {
  private enum Phase: Equatable {
    case idle
    /// Messages are being taken; the epoch has no time while only sentences without one were seen.
    case open
    case closed(Ending)
  }

  private enum Ending {
    case lastMessage, otherTime, silence, mark
  }

  private var phase = Phase.idle
  /// The epoch in progress, or the last one closed.
  private var epoch = Epoch()
  private var supplied: Supplies = []
  private var seen = SIMD32<UInt8>()
  private var lastSlot: Slot?
  private var lastTimedSlot: Slot?
  private var cameTooEarly = false
  private var beganAfterSilence = false
  private var clock: WaitingClock?

  private var order = LearnedOrder()
  private var untimedOrder = UntimedOrder()
  /// `order` was learned with sentences without a time leading.
  private var orderLeads = false
  private var lastTimed = UntimedValues()
  private var dates = DateKeeper()
  private var recent = RecentEpochs()
  private var interval = ReportingInterval()
  private var lastPosition: Position?
  /// Satellites in view, to be told of each message that counts them.
  var inView = SatelliteCount()
  /// The last epoch given out with a date.
  private(set) var lastDated: DatedEpoch?

  var output = EpochOutput()

  var isOpen: Bool { phase == .open }
  /// Silence that closes the epoch in progress.
  var silence: Duration { interval.silence }

  mutating func take<Message: EpochSentence>(_ message: Message, now: Moment, _ emit: (Reception) -> Void) {
    if let time = message.time {
      takeTimed(message, time, now: now, emit)
    } else if !Message.isTimed {
      takeUntimed(message)
    } else if message.vouchesForPosition {
      takeTimeless(message, now: now, emit)
    }
    closeIfComplete(now: now, emit)
  }

  /// A ZDA names no epoch: its time may be the one of its transmission, or of the next pulse.
  ///
  /// Close to the time of an epoch it is part of that. Another one waits for the message that names its epoch.
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

  /// A clock whose epoch did not come is an epoch without a position.
  mutating func giveClock(now: Moment, _ emit: (Reception) -> Void) {
    defer { clock = nil }
    guard let clock, clock.isLone else { return }
    self.clock = nil
    takeTimed(clock.message, clock.time, now: now, emit)
  }

  /// An epoch that the receiver kept, whole in one message. It leaves the one in progress and what was learned alone.
  mutating func takeWhole(_ stored: NavigationSolution, _ emit: (Reception) -> Void) {
    guard stored.time != nil || stored.vouchesForPosition else { return }
    var whole = Epoch()
    whole.time = stored.time
    stored.contribute(to: &whole)
    var fix = whole.fix
    whole.settle(&fix, day: nil, isRepetition: false)
    fix.isStored = true
    output.give(fix, isUsable: whole.hasUsablePosition, emit)
  }

  /// The receiver says that the epoch at `time` is complete. Only where it has a binary solution, since sentences
  /// of the epoch may come behind the end of the binary messages.
  mutating func end(of time: EpochTime, now: Moment, _ emit: (Reception) -> Void) {
    guard isOpen, epoch.isBinary, let open = epoch.time, open.isSameInstant(as: time) else { return }
    close(.mark, now: now, emit)
  }

  /// The time that names the epoch of a sentence at `time`, which may differ by the jitter of a receiver's sentences.
  func name(of time: EpochTime?) -> EpochTime? {
    guard let time, let own = epoch.time, isJitter(time, own) else { return time }
    return own
  }

  /// UTC of the epoch at `time`, if that is the one in progress or the last one closed.
  func timestamp(of time: EpochTime) -> Timestamp? {
    guard let own = epoch.time, own.isSameInstant(as: time) else { return nil }
    if epoch.isBinary { return epoch.fix.timestamp }
    return lastDated.flatMap { $0.millisecondOfDay == own.millisecond ? $0.timestamp : nil }
  }

  /// Closes the epoch in progress because nothing more came.
  mutating func closeForSilence(now: Moment, _ emit: (Reception) -> Void) {
    if isOpen { close(.silence, now: now, emit) }
  }

  /// Forgets the epoch in progress and the order of the messages; a date that is sure stays.
  mutating func reset() {
    phase = .idle
    order = LearnedOrder()
    untimedOrder = UntimedOrder()
    orderLeads = false
    recent = RecentEpochs()
    interval = ReportingInterval()
    lastPosition = nil
    clock = nil
  }

  private mutating func closeIfComplete(now: Moment, _ emit: (Reception) -> Void) {
    if isOpen, let last = order.last, lastSlot == last, epoch.time != nil {
      close(.lastMessage, now: now, emit)
    }
  }

  private mutating func takeTimed<Message: EpochSentence>(
    _ message: Message, _ time: EpochTime, now: Moment, _ emit: (Reception) -> Void
  ) {
    if isOfKnownEpoch(message, at: time, now: now) {
      if isOpen, isOfEpoch(message, at: time) {
        epoch.untimed = UntimedValues()
        add(message)
      } else {
        addLate(message, isForLastEpoch: isOfEpoch(message, at: time), now: now)
      }
      return
    }
    let announcement = clock == nil ? nil : takeAnnouncement(of: time, now: now, emit)
    let between = epoch.untimed
    if isOpen, epoch.time == nil, beganAfterSilence { untimedOrder.noteBurstBegan() }
    if isOpen, epoch.time != nil || epoch.hasUsablePosition { close(.otherTime, now: now, emit) }
    if !isOpen { open() }
    untimedOrder.note(between: between, earlier: lastTimed)
    epoch.untimed = UntimedValues()
    epoch.time = time
    if let announcement { add(announcement) }
    add(message)
  }

  // What only reads is inlined: a call would copy the whole assembler first.

  /// The message belongs to the epoch in progress or to one that was closed a short time ago.
  @inline(__always)
  private func isOfKnownEpoch<Message: EpochSentence>(
    _ message: Message, at time: EpochTime, now: Moment
  ) -> Bool {
    let isFresh = recent.areFresh(now: now)
    return (isOpen || isFresh) && isOfEpoch(message, at: time) || isFresh && recent.contains(time)
  }

  /// The message at `time` belongs to the epoch in progress, or the last one closed.
  ///
  /// A message with a position names its epoch by its time, but for the jitter of a receiver that reads its clock for
  /// every kind of sentence. Any other belongs to the position that it came with: some receivers print in it when it
  /// was sent.
  @inline(__always)
  private func isOfEpoch<Message: EpochSentence>(_ message: Message, at time: EpochTime) -> Bool {
    guard let own = epoch.time else { return false }
    if own.isSameInstant(as: time) { return true }
    if Message.supplies.contains(.position) {
      return isJitter(time, own) && seen[Int(Message.kind.rawValue)] == 0
    }
    return abs(time.offset(from: own)) < nearestStep
  }

  /// Two sentences with these times can be of one epoch.
  @inline(__always)
  private func isJitter(_ time: EpochTime, _ other: EpochTime) -> Bool {
    time.isPrinted(near: other, limit: min(Self.jitter + 1, nearestStep))
  }

  /// Milliseconds to the next epoch, at most the second within which a clock dates an epoch.
  @inline(__always)
  private var nearestStep: Int32 { min(interval.milliseconds ?? .max, DateKeeper.clockReach) }

  /// Milliseconds; sentences print hundredths.
  private static let jitter: Int32 = 10

  /// Keeps a clock that belongs to no epoch yet. One that is ahead by the step of the receiver ends the epoch in progress.
  private mutating func keepClock(
    _ message: ZDA, _ time: EpochTime, now: Moment, _ emit: (Reception) -> Void
  ) {
    var kept = WaitingClock(message: message, time: time)
    if isOpen || recent.areFresh(now: now), let own = epoch.time {
      let offset = time.offset(from: own)
      kept.isLone = abs(offset) >= DateKeeper.clockReach
      kept.isAhead =
        offset >= DateKeeper.clockReach || offset >= nearestStep && offset % nearestStep <= Self.jitter
    }
    clock = kept
    if isOpen, epoch.time != nil, kept.isAhead { close(.otherTime, now: now, emit) }
    if let date = message.date { dates.note(date, at: time, now: now) }
  }

  /// The clock that waits, when it shows `time`. One that shows a time far from it is an epoch of its own.
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
    add(message)
  }

  /// A sentence without a time belongs to the epoch before it, unless sentences like it are known to go
  /// before the timed ones. After a silence, one whose kind the closed epoch has already is the next one's.
  @inline(__always)
  private func opensEpoch(_ kind: MessageKind) -> Bool {
    switch phase {
    case .open: false
    case .idle: true
    case .closed where clock?.isAhead ?? false: true
    case .closed(.silence): untimedOrder.leads || seen[Int(kind.rawValue)] > 0
    case .closed(.lastMessage), .closed(.otherTime), .closed(.mark): untimedOrder.leads
    }
  }

  /// A position that is vouched for but has no time: an epoch of its own unless one with a time is open.
  private mutating func takeTimeless<Message: EpochSentence>(
    _ message: Message, now: Moment, _ emit: (Reception) -> Void
  ) {
    if isOpen, epoch.time != nil { return }
    if isOpen, epoch.hasUsablePosition { close(.otherTime, now: now, emit) }
    if !isOpen { open() }
    add(message)
  }

  private mutating func open() {
    if phase == .closed(.lastMessage) {
      order.judge(cameTooEarly: cameTooEarly)
    }
    beganAfterSilence = phase == .closed(.silence)
    phase = .open
    epoch = Epoch()
    supplied = []
    seen = SIMD32()
    lastSlot = nil
    lastTimedSlot = nil
    cameTooEarly = false
  }

  @inline(__always)
  private mutating func add<Message: EpochSentence>(_ message: Message) {
    let index = Int(Message.kind.rawValue)
    let slot = Slot(kind: Message.kind, ordinal: seen[index])
    seen[index] &+= 1
    guard contributes(message) else { return }
    lastSlot = slot
    if Message.isTimed { lastTimedSlot = slot }
  }

  /// Takes the message in and tells whether it added anything: something its kind is the first to supply, or
  /// a value that changed.
  private mutating func contributes<Message: EpochSentence>(_ message: Message) -> Bool {
    epoch.hasChanged = false
    message.contribute(to: &epoch)
    epoch.isBlank = false
    let isNew = !Message.supplies.isSubset(of: supplied)
    supplied.formUnion(Message.supplies)
    // Beside a binary solution the sentences change nothing in the fix but the dilutions.
    return isNew || epoch.hasChanged && (Message.isBinary || !epoch.isBinary)
  }

  /// Only the date of a late message is of use, and only for the epochs to come.
  private mutating func addLate<Message: EpochSentence>(
    _ message: Message, isForLastEpoch: Bool, now: Moment?
  ) {
    guard isForLastEpoch, !isOpen else { return }
    let hadDate = epoch.day != nil || epoch.isBinary
    if contributes(message) { cameTooEarly = true }
    if !hadDate, let now, let day = epoch.day, epoch.hasUsablePosition {
      dates.remember(day, time: epoch.time?.millisecond, now: now)
    }
  }

  private mutating func close(_ ending: Ending, now: Moment, _ emit: (Reception) -> Void) {
    let isUsable = epoch.hasUsablePosition
    guard epoch.time != nil || isUsable else {
      phase = .idle
      return
    }
    phase = .closed(ending)
    learn(ending)
    if let time = epoch.time {
      recent.note(time, now: now)
      interval.note(time.millisecond)
    }
    // Dead reckoning that stands still may be the last position printed once more.
    let (latitude, longitude) = (epoch.fix.latitude, epoch.fix.longitude)
    let isRepetition =
      !epoch.isBinary && epoch.claimedKind == .deadReckoning
      && latitude == lastPosition?.latitude && longitude == lastPosition?.longitude
    if isUsable, let latitude, let longitude {
      lastPosition = Position(latitude: latitude, longitude: longitude)
    }
    let hasFix = isUsable && !isRepetition
    let day = dates.day(
      own: epoch.isBinary ? epoch.fix.timestamp?.day : epoch.day ?? dayByClock(now: now), hasFix: hasFix,
      time: epoch.time?.millisecond, now: now)
    if !output.reportsEpochs, hasFix, let kind = epoch.settledKind {
      inView.beginEpoch()
      output.count(
        kind, accuracySource: epoch.fix.accuracySource, timestamp: epoch.fix.timestamp,
        millisecondOfDay: epoch.time?.millisecond)
      return remember(epoch.fix.timestamp, at: epoch.time?.millisecond)
    }
    var fix = epoch.fix
    epoch.settle(&fix, day: day, isRepetition: isRepetition)
    fix.satellitesSeen = inView.value.map(UInt8.init(clamping:))
    inView.beginEpoch()
    remember(fix.timestamp, at: fix.millisecondOfDay)
    output.give(fix, isUsable: hasFix, emit)
  }

  @inline(__always)
  private mutating func remember(_ timestamp: Timestamp?, at millisecondOfDay: Int32?) {
    guard let timestamp, let millisecondOfDay else { return }
    lastDated = DatedEpoch(millisecondOfDay: millisecondOfDay, timestamp: timestamp)
  }

  private mutating func dayByClock(now: Moment) -> Int? {
    epoch.time.flatMap { dates.dayByClock(at: $0, now: now) }
  }

  private mutating func learn(_ ending: Ending) {
    untimedOrder.compare(later: epoch.timed)
    lastTimed = epoch.timed
    if untimedOrder.leads != orderLeads {
      orderLeads = untimedOrder.leads
      order = LearnedOrder()
    } else if ending != .lastMessage {
      order.learn(orderLeads ? lastTimedSlot : lastSlot)
    }
  }
}
