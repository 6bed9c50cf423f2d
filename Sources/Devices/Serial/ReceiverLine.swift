import GNSS
import Glibc
import Quantities
import SystemLoop

/// A GNSS receiver on a serial line: keeps the port open, finds its speed, reads it once an epoch and hands over
/// what the receiver says.
///
/// A port that is gone is tried again by its path with growing pauses, for as long as the program runs.
public final class ReceiverLine {
  /// How the line's speed is known.
  public enum Speed: Equatable, Sendable {
    case automatic
    case fixed(UInt32)
  }

  /// What happened to the line.
  public enum Notice: Equatable, Sendable {
    /// Frames with valid checksums arrive at this speed in baud.
    case found(speed: UInt32)
    /// The port cannot be opened, or went away; said once until bytes arrive again.
    case lost(SystemError)
    /// Bytes, but no valid frame at any speed that was tried.
    case garbled
    case silent(seconds: Int64)
    case speaking
  }

  /// Called with each closed epoch, also those without a position.
  public var onEpoch: (Fix, Moment) -> Void = { _, _ in }
  public var onNotice: (Notice) -> Void = { _ in }

  public let path: String
  private let loop: EventLoop
  private let configuredSpeed: Speed
  private let access: SerialPort.Access
  private var decoder = ReceiverDecoder()
  private var pacing = BurstPacing()
  private var reopening = ReopenSchedule()
  private var search: SpeedSearch
  private var health: LineHealth
  private var open: (port: SerialPort, registration: EventLoop.Registration)?
  private var isSleeping = false
  private var saidLost = false
  private var saidGarbled = false
  private var framesBefore: UInt64 = 0
  /// Read for the silence of an epoch, while the line was to be left alone; the pacing hears of it later.
  private var earlyReading = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
  /// Handed over once the decoder is at rest, so that whoever is called may ask for the statistics.
  private var closedEpochs: [Fix] = []
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
  private var readTimer: LoopTimer?
  private var silenceTimer: LoopTimer?
  private var epochTimer: LoopTimer?
  private var searchTimer: LoopTimer?
  private var reopenTimer: LoopTimer?

  /// Reads of one turn, so that a fast line cannot keep the loop from other work.
  private static let readsPerTurn = 4

  public init(loop: EventLoop, path: String, speed: Speed, access: SerialPort.Access) {
    self.loop = loop
    self.path = path
    self.access = access
    configuredSpeed = speed
    search = Self.search(for: speed)
    health = LineHealth(now: loop.now)
    readTimer = loop.addTimer("line read") { [unowned self] now in drain(now: now) }
    silenceTimer = loop.addTimer("line silence") { [unowned self] now in noticeSilence(now: now) }
    epochTimer = loop.addTimer("epoch silence") { [unowned self] now in closeEpoch(now: now) }
    searchTimer = loop.addTimer("speed search") { [unowned self] now in
      take(search.handleTimeout(now: now))
    }
    reopenTimer = loop.addTimer("port reopen") { [unowned self] now in tryToOpen(now: now) }
  }

  deinit {
    stop()
    buffer.deallocate()
  }

  /// Opens the port now, or keeps trying.
  public func start() { tryToOpen(now: loop.now) }

  /// Takes what has already arrived, hands over the epoch in progress and closes the port for good.
  public func finish(now: Moment) {
    if read(now: now) != nil {
      decoder.finish(keep)
      handOver(now: now)
    }
    stop()
  }

  /// Closes the port for good.
  public func stop() {
    close()
    for timer in [readTimer, silenceTimer, epochTimer, searchTimer, reopenTimer] {
      if let timer { loop.removeTimer(timer) }
    }
  }

  public var isOpen: Bool { open != nil }
  public var statistics: DecodeStatistics { decoder.statistics }
  /// The proven speed; nil until two valid frames were seen.
  public var provenSpeed: UInt32? { open != nil && search.isProven ? search.speed : nil }

  // MARK: Opening and losing

  private func tryToOpen(now: Moment) {
    do {
      let port = try SerialPort(path: path, speed: search.speed, access: access)
      let registration = try loop.watch(port.raw, for: .readable) { [unowned self] in ready($0) }
      open = (port, registration)
      isSleeping = false
      decoder.reset()
      pacing.reset()
      earlyReading = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
      health = LineHealth(now: now)
      armHealth()
    } catch {
      lose(error, now: now)
    }
  }

  private func lose(_ error: SystemError, now: Moment) {
    close()
    decoder.finish(keep)
    handOver(now: now)
    if !saidLost {
      saidLost = true
      onNotice(.lost(error))
    }
    search = Self.search(for: configuredSpeed, first: search.isProven ? search.speed : nil)
    reopenTimer?.arm(at: now + reopening.next())
  }

  private func close() {
    guard let open else { return }
    loop.remove(open.registration)
    self.open = nil
    for timer in [readTimer, silenceTimer, epochTimer, searchTimer] { timer?.arm(at: nil) }
  }

  private static func search(for speed: Speed, first: UInt32? = nil) -> SpeedSearch {
    switch speed {
    case .automatic: SpeedSearch(first: first)
    case .fixed(let baud): SpeedSearch(fixed: baud)
    }
  }

  // MARK: Reading

  private func ready(_ readiness: EventLoop.Readiness) {
    // While asleep only a hang-up is reported; reading it tells how the line ended.
    drain(now: loop.now, isHungUp: readiness.contains(.hangup))
  }

  private func drain(now: Moment, isHungUp: Bool = false) {
    guard let reading = read(now: now) else { return }
    if isHungUp, reading.bytes == 0 {
      // It would be reported again and again.
      return lose(SystemError(call: "read", subject: path, number: EIO), now: now)
    }
    let drain = BurstPacing.Drain(
      bytes: reading.bytes + earlyReading.bytes,
      closedEpochs: reading.closedEpochs + earlyReading.closedEpochs)
    earlyReading = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
    if reading.bytes > 0 { takeStock(of: reading, now: now) }
    guard open != nil else { return }
    let plan = pacing.drained(drain, now: now)
    follow(plan, now: now)
    // What follows a closed epoch is read with the next one.
    let isLeftAlone = plan != .watch && drain.closedEpochs > 0
    epochTimer?.arm(at: isLeftAlone ? nil : decoder.nextTimeout)
  }

  /// Reads what waits and hands over the epochs it closes; nil when the line is gone.
  private func read(now: Moment) -> BurstPacing.Drain? {
    guard let port = open?.port else { return nil }
    var reading = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
    var isEmptied = false
    for _ in 0..<Self.readsPerTurn where !isEmptied {
      switch port.read(into: buffer) {
      case .bytes(let count):
        reading.bytes += count
        isEmptied = count < buffer.count
        decoder.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: now, keep)
        reading.closedEpochs += closedEpochs.count
        handOver(now: now)
      case .empty: isEmptied = true
      case .gone(let error):
        lose(error, now: now)
        return nil
      }
    }
    return reading
  }

  private func keep(_ reception: Reception) {
    switch reception {
    case .epoch(let fix): closedEpochs.append(fix)
    case .sky, .answer: break
    }
  }

  private func handOver(now: Moment) {
    guard !closedEpochs.isEmpty else { return }
    var fixes: [Fix] = []
    swap(&fixes, &closedEpochs)
    for fix in fixes { onEpoch(fix, now) }
    // The memory goes back for the next epoch, unless somebody who was called has left more.
    fixes.removeAll(keepingCapacity: true)
    if closedEpochs.isEmpty { closedEpochs = fixes }
  }

  private func takeStock(of reading: BurstPacing.Drain, now: Moment) {
    saidLost = false
    reopening.succeeded()
    if health.heard(now: now) == .speaking { onNotice(.speaking) }
    armHealth()
    let frames = decoder.frames
    let fresh = Int(clamping: frames &- framesBefore)
    framesBefore = frames
    take(search.heard(bytes: reading.bytes, validFrames: fresh, now: now))
  }

  private func follow(_ plan: BurstPacing.Plan, now: Moment) {
    switch plan {
    case .watch:
      readTimer?.arm(at: nil)
      watch(sleeping: false, now: now)
    case .sleep(let until):
      readTimer?.arm(at: until)
      watch(sleeping: true, now: now)
    }
  }

  private func watch(sleeping: Bool, now: Moment) {
    guard let open, sleeping != isSleeping else { return }
    do {
      try loop.change(open.registration, to: sleeping ? [] : .readable)
      isSleeping = sleeping
    } catch {
      lose(error, now: now)
    }
  }

  private func closeEpoch(now: Moment) {
    // Bytes that wait on a line that is left alone are no silence.
    guard let reading = read(now: now) else { return }
    earlyReading.bytes += reading.bytes
    earlyReading.closedEpochs += reading.closedEpochs
    if reading.bytes > 0 { takeStock(of: reading, now: now) }
    decoder.handleTimeout(now: now, keep)
    handOver(now: now)
    guard open != nil else { return }
    epochTimer?.arm(at: decoder.nextTimeout)
  }

  // MARK: Speed and silence

  private func take(_ step: SpeedSearch.Step) {
    searchTimer?.arm(at: search.nextTimeout)
    switch step {
    case .listen: break
    case .found(let speed):
      saidGarbled = false
      onNotice(.found(speed: speed))
    case .change(let speed):
      decoder.reset()
      pacing.reset()
      do {
        try open?.port.setSpeed(speed)
        // What was received at the speed before would speak against this one.
        open?.port.discardInput()
        follow(.watch, now: loop.now)
      } catch {
        lose(error, now: loop.now)
      }
    }
    if search.isGarbled, !saidGarbled {
      saidGarbled = true
      onNotice(.garbled)
    }
  }

  private func armHealth() { silenceTimer?.arm(at: health.nextTimeout) }

  private func noticeSilence(now: Moment) {
    if case .silent(let since) = health.handleTimeout(now: now) {
      onNotice(.silent(seconds: (now - since).components.seconds))
    }
    armHealth()
  }
}
