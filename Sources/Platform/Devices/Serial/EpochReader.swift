import EventLoop
import GNSSProtocol
import Glibc
import Quantities
import System

/// Reads the port of a receiver once per epoch, or as the bytes arrive, and decodes them into epochs and answers.
///
/// Belongs to the thread of its loop.
final class EpochReader {
  /// Handlers, set before the port is opened.
  struct Outputs {
    /// Returns true while the receiver stores epochs, or sends stored ones.
    var storesEpochs: () -> Bool = { false }
    /// Returns the next action on the line if the dialogue requires one; nil leaves it to the pacing.
    var requiredRead: (Moment) -> BurstPacing.NextRead? = { _ in nil }
    /// A closed epoch and the time at which it was complete.
    var epoch: (Fix, Moment) -> Void = { _, _ in }
    /// Epochs that the receiver had stored.
    var storedEpochs: ([Fix], Moment) -> Void = { _, _ in }
    var satellites: (SatelliteReport) -> Void = { _ in }
    /// The carrier-to-noise density of the strongest of the satellites just reported, in dBHz; 0 if none is tracked.
    var signalStrength: (Double, Moment) -> Void = { _, _ in }
    /// The bytes of the line; nil while nobody shows them.
    var bytes: ((UnsafeRawBufferPointer) -> Void)?
    /// Bytes arrived, at whatever baud rate.
    var arrived: () -> Void = {}
    /// An answer that shows an unsupported protocol.
    var foreign: (ReceiverAnswer) -> Void = { _ in }
    /// Bytes and valid frames were received at the present baud rate.
    var received: (_ bytes: Int, _ frames: Int, Moment) -> Void = { _, _, _ in }
    var answer: (ReceiverAnswer, Moment) -> Void = { _, _ in }
    /// The port is gone.
    var gone: (SystemError, Moment) -> Void = { _, _ in }
  }

  /// Maximum number of reads in one loop iteration, to keep the loop responsive on a fast line.
  private static let readsPerTurn = 4

  private let endpoint: SerialEndpoint
  private let loop: EventLoop
  var outputs = Outputs()
  private var decoder = ReceiverDecoder()
  private(set) var pacing = BurstPacing()
  /// Bytes and epochs read early, while reading was deferred; passed to the pacing later.
  private var earlyReading = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
  private var completions = CompletionTimes()
  private var activity = Activity.idle
  private var framesBefore: UInt64 = 0
  // Handed over once decoding has ended, so that a callback may query the statistics.
  private var decoded = DecodedData()
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
  private var readTimer: LoopTimer?
  private var epochTimer: LoopTimer?
  /// The latest possible time at which the first byte of the epoch arrived that is being handed over. Nil at other times, and
  /// for an epoch that waited in a buffer or was closed by silence.
  private(set) var epochBegan: Moment?

  private enum Activity {
    case idle, reading
    /// Reading bytes that arrived before the port was opened.
    case readingEarlierData
  }

  init(_ endpoint: SerialEndpoint, loop: EventLoop) {
    self.endpoint = endpoint
    self.loop = loop
    decoder.reportsSatellites = true
    readTimer = loop.addTimer("line read") { [unowned self] now in drain(now: now) }
    epochTimer = loop.addTimer("epoch silence") { [unowned self] now in closeEpoch(now: now) }
  }

  deinit { buffer.deallocate() }

  /// Ends reading permanently.
  func stop() {
    for timer in [readTimer, epochTimer] {
      if let timer { loop.removeTimer(timer) }
    }
  }

  var statistics: DecodeStatistics { decoder.statistics }
  var rivalTalkers: (used: String, ignored: String)? { decoder.rivalTalkers }
  /// True if reading is deferred to a time.
  var isDeferring: Bool { readTimer?.isArmed == true }
  var reportsSatellites: Bool {
    get { decoder.reportsSatellites }
    set { decoder.reportsSatellites = newValue }
  }
  var reportsSignalStrength: Bool {
    get { decoder.reportsSignalStrength }
    set { decoder.reportsSignalStrength = newValue }
  }

  // MARK: The port

  /// Starts anew: the port was opened.
  func opened() {
    restart()
    earlyReading = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
  }

  /// Starts anew at another baud rate.
  func restart() {
    decoder.reset()
    pacing.reset()
  }

  /// The port was closed.
  func closed() {
    for timer in [readTimer, epochTimer] { timer?.arm(at: nil) }
  }

  /// Hands over the epoch in progress of a port that is gone.
  func lost(now: Moment) {
    endEpoch(now: now)
    decoded.discardAnswers()
  }

  /// Hands over the epoch in progress, after which no byte follows.
  func endEpoch(now: Moment) {
    decoder.finish(keep)
    handOver(now: now)
  }

  /// Reads bytes that arrived before the port was opened, at a baud rate set by another program. Their epochs
  /// count, but they prove nothing about the present baud rate.
  func readEarlierData(now: Moment) {
    guard read(now: now, as: .readingEarlierData) != nil else { return }
    epochTimer?.arm(at: decoder.nextTimeout)
  }

  // MARK: Pacing

  /// Sets the longest time that bytes may collect in the line's buffer.
  func setLatencyBudget(_ latencyBudget: Duration, now: Moment) {
    guard latencyBudget != pacing.latencyBudget else { return }
    if latencyBudget < pacing.latencyBudget { readCoalesced(now: now) }
    if let nextRead = pacing.setLatencyBudget(latencyBudget, now: now) { follow(nextRead, now: now) }
  }

  /// Reads bytes as they arrive, from now on.
  func watchLine(now: Moment) { follow(.watch, now: now) }

  /// Reads the epochs that collect in the line's buffer.
  func readCoalesced(now: Moment) {
    guard pacing.isCoalescing, activity == .idle, readEarly(now: now) else { return }
    completions.haveRead(now: now)
  }

  private func follow(_ nextRead: BurstPacing.NextRead, now: Moment) {
    switch nextRead {
    case .watch:
      readTimer?.arm(at: nil)
      endpoint.adjustInterest(isLeftAlone: false, now: now)
    case .sleep(let until):
      readTimer?.arm(at: until)
      endpoint.adjustInterest(isLeftAlone: true, now: now)
    }
  }

  // MARK: Reading

  /// Reads the line, because bytes arrived, their time has come, or it was hung up.
  func drain(now: Moment, isHungUp: Bool = false) {
    guard activity == .idle, let reading = read(now: now) else { return }
    if isHungUp, reading.bytes == 0 {
      // A hang-up would be reported in every loop iteration.
      return outputs.gone(SystemError(call: "read", subject: endpoint.path, number: EIO), now)
    }
    let drain = BurstPacing.Drain(
      bytes: reading.bytes + earlyReading.bytes,
      closedEpochs: reading.closedEpochs + earlyReading.closedEpochs)
    earlyReading = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
    guard endpoint.isOpen else { return }
    let nextRead: BurstPacing.NextRead
    if let required = outputs.requiredRead(now) {
      pacing.reset()
      nextRead = required
    } else {
      nextRead = pacing.drained(drain, now: now)
    }
    follow(nextRead, now: now)
    // Bytes after a closed epoch are read with the next one.
    let isLeftAlone = nextRead != .watch && drain.closedEpochs > 0
    epochTimer?.arm(at: isLeftAlone ? nil : decoder.nextTimeout)
  }

  /// Reads the available bytes before the pacing requires it, and saves the result for the pacing; false if
  /// the line is gone.
  private func readEarly(now: Moment) -> Bool {
    guard let reading = read(now: now) else { return false }
    earlyReading.bytes += reading.bytes
    earlyReading.closedEpochs += reading.closedEpochs
    return true
  }

  /// Reads the available bytes and returns a summary; nil if the line is gone.
  func read(now: Moment) -> BurstPacing.Drain? { read(now: now, as: .reading) }

  private func read(now: Moment, as activity: Activity) -> BurstPacing.Drain? {
    self.activity = activity
    defer { self.activity = .idle }
    guard endpoint.isOpen else { return nil }
    var reading = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
    for _ in 0..<Self.readsPerTurn {
      guard let result = endpoint.read(into: buffer) else { return nil }
      switch result {
      case .bytes(let count):
        reading.bytes += count
        outputs.bytes?(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        decoder.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: now, keep)
        reading.closedEpochs += decoded.epochs.count
        handOver(now: now, after: reading.closedEpochs)
        if decoder.reportsSignalStrength, let strongest = decoder.takeStrongestSignal() {
          outputs.signalStrength(Double(strongest), now)
        }
        processReceived(bytes: count, now: now)
        if count < buffer.count { return endpoint.isOpen ? reading : nil }
      case .empty: return reading
      case .gone(let error):
        outputs.gone(error, now)
        return nil
      }
    }
    return endpoint.isOpen ? reading : nil
  }

  private func closeEpoch(now: Moment) {
    // Unread bytes on a line with deferred reading are not silence.
    guard readEarly(now: now) else { return }
    decoder.handleTimeout(now: now, keep)
    handOver(now: now)
    handleAnswers(now: now)
    guard endpoint.isOpen else { return }
    epochTimer?.arm(at: decoder.nextTimeout)
  }

  private func keep(_ reception: Reception) {
    switch reception {
    case .epoch(let fix): decoded.append(fix)
    case .answer(let answer): decoded.append(answer)
    case .satelliteReport(let satelliteReport): outputs.satellites(satelliteReport)
    }
  }

  /// Hands over the closed epochs; `count` is the number closed by this reading so far.
  private func handOver(now: Moment, after count: Int = 1) {
    guard !decoded.epochs.isEmpty else { return }
    var fixes = decoded.takeEpochs()
    if outputs.storesEpochs() { return outputs.storedEpochs(fixes, now) }
    if fixes.count == 1, count + earlyReading.closedEpochs == 1, !pacing.isCoalescing,
      activity != .readingEarlierData
    {
      epochBegan = decoder.lastSpan?.start(bitsPerSecond: endpoint.speed)
    }
    defer { epochBegan = nil }
    var arrival = now
    if pacing.isCoalescing {
      arrival = pacing.completion(ofLast: count + earlyReading.closedEpochs, now: now)
    }
    for fix in fixes {
      let moment =
        pacing.isCoalescing ? completions.moment(of: fix, before: fixes[fixes.count - 1], at: arrival) : now
      outputs.epoch(fix, moment)
    }
    // Keeps the memory for the next epoch, unless a callback has added to it.
    fixes.removeAll(keepingCapacity: true)
    decoded.reuse(fixes)
  }

  /// Reports the data read since the last call.
  private func processReceived(bytes: Int, now: Moment) {
    outputs.arrived()
    endpoint.received(now: now)
    let frames = decoder.frames
    let fresh = Int(clamping: frames &- framesBefore)
    framesBefore = frames
    // An unsupported protocol, which the decoder detects once.
    for answer in decoded.answers {
      if case .foreign = answer { outputs.foreign(answer) }
    }
    // Of data sent before the port was opened, only the protocol counts.
    guard activity != .readingEarlierData else { return decoded.discardAnswers() }
    outputs.received(bytes, fresh, now)
    handleAnswers(now: now)
  }

  private func handleAnswers(now: Moment) {
    for answer in decoded.takeAnswers() { outputs.answer(answer, now) }
  }
}

/// Epochs and answers that were decoded and not handed over yet.
private struct DecodedData {
  private(set) var epochs: [Fix] = []
  private(set) var answers: [ReceiverAnswer] = []

  mutating func append(_ epoch: Fix) { epochs.append(epoch) }
  mutating func append(_ answer: ReceiverAnswer) { answers.append(answer) }

  mutating func takeEpochs() -> [Fix] {
    var taken: [Fix] = []
    swap(&taken, &epochs)
    return taken
  }

  /// Uses the memory of an emptied array for the next epochs.
  mutating func reuse(_ emptied: [Fix]) { if epochs.isEmpty { epochs = emptied } }

  mutating func takeAnswers() -> [ReceiverAnswer] {
    var taken: [ReceiverAnswer] = []
    swap(&taken, &answers)
    return taken
  }

  mutating func discardAnswers() { answers.removeAll(keepingCapacity: true) }
}

/// The times at which epochs were complete that collected in the line's buffer.
private struct CompletionTimes {
  /// Longest plausible delay in ms; well above the content of a line's buffer at the slowest paced rate.
  private static let longestBehind: Int64 = 600_000

  /// The latest time by which collected epochs were emitted, or all bytes were read.
  private var last = Moment.zero

  /// All bytes in the buffer were read.
  mutating func haveRead(now: Moment) { last = now }

  /// Returns the time of an epoch by its own time, if the last one was complete at `arrival`; never before the previous
  /// returned one.
  mutating func moment(of fix: Fix, before end: Fix, at arrival: Moment) -> Moment {
    var behind = Int64.zero
    if let own = fix.millisecondOfDay, let endTime = end.millisecondOfDay {
      behind = Int64(endTime) - Int64(own)
      if behind < 0 { behind += Timestamp.millisecondsPerDay }
    }
    // Times out of sequence give no time of arrival.
    if behind > Self.longestBehind { behind = 0 }
    last = max(last, arrival - .milliseconds(behind))
    return last
  }
}
