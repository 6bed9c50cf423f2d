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
    /// The port cannot be opened, or went away; said once until it is open again.
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
  private var isProven = false
  private var framesBefore: UInt64 = 0
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

  deinit { buffer.deallocate() }

  /// Opens the port now, or keeps trying.
  public func start() { tryToOpen(now: loop.now) }

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
  public var provenSpeed: UInt32? { isProven ? search.speed : nil }

  // MARK: Opening and losing

  private func tryToOpen(now: Moment) {
    do {
      let port = try SerialPort(path: path, speed: search.speed, access: access)
      let registration = try loop.watch(port.raw, for: .readable) { [unowned self] in ready($0) }
      open = (port, registration)
      isSleeping = false
      isProven = false
      saidLost = false
      reopening.succeeded()
      decoder.reset()
      pacing.reset()
      health = LineHealth(now: now)
      armHealth()
    } catch {
      lose(error, now: now)
    }
  }

  private func lose(_ error: SystemError, now: Moment) {
    close()
    decoder.finish { onEpoch($0, now) }
    if !saidLost {
      saidLost = true
      onNotice(.lost(error))
    }
    search = Self.search(for: configuredSpeed, first: isProven ? search.speed : nil)
    isProven = false
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
    if readiness.contains(.readable) || readiness.contains(.hangup) { drain(now: loop.now) }
  }

  private func drain(now: Moment) {
    guard let port = open?.port else { return }
    var bytes = 0
    var closed = 0
    var isEmptied = false
    for _ in 0..<Self.readsPerTurn {
      switch port.read(into: buffer) {
      case .bytes(let count):
        bytes += count
        isEmptied = count < buffer.count
        decoder.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: now) { fix in
          closed += 1
          onEpoch(fix, now)
        }
      case .empty:
        settle(BurstPacing.Drain(bytes: bytes, closedEpochs: closed), now: now)
        return
      case .gone(let error):
        lose(error, now: now)
        return
      }
      if isEmptied { break }
    }
    settle(BurstPacing.Drain(bytes: bytes, closedEpochs: closed), now: now)
  }

  private func settle(_ drain: BurstPacing.Drain, now: Moment) {
    guard open != nil else { return }
    if drain.bytes > 0 {
      if health.heard(now: now) == .speaking { onNotice(.speaking) }
      armHealth()
      let frames = decoder.statistics.nmea &+ decoder.statistics.ubx
      take(
        search.heard(bytes: drain.bytes, validFrames: Int(clamping: frames &- framesBefore), now: now))
      framesBefore = frames
    }
    follow(pacing.drained(drain, now: now), now: now)
    // While the line is left alone its silence means nothing: bytes may wait in its buffer.
    epochTimer?.arm(at: isSleeping ? nil : decoder.nextTimeout)
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
    decoder.handleTimeout(now: now) { onEpoch($0, now) }
    epochTimer?.arm(at: decoder.nextTimeout)
  }

  // MARK: Speed and silence

  private func take(_ step: SpeedSearch.Step) {
    searchTimer?.arm(at: search.nextTimeout)
    switch step {
    case .listen: break
    case .found(let speed):
      isProven = true
      saidGarbled = false
      onNotice(.found(speed: speed))
    case .change(let speed):
      decoder.reset()
      pacing.reset()
      do { try open?.port.setSpeed(speed) } catch { lose(error, now: loop.now) }
    }
    if search.isGarbled, !saidGarbled {
      saidGarbled = true
      onNotice(.garbled)
    }
  }

  private func armHealth() { silenceTimer?.arm(at: health.nextTimeout, slack: .seconds(5)) }

  private func noticeSilence(now: Moment) {
    if case .silent(let since) = health.handleTimeout(now: now) {
      onNotice(.silent(seconds: (now - since).components.seconds))
    }
    armHealth()
  }
}
