import EventLoop
import Glibc
import Quantities
import System

// Opening, loss and writing.
extension ReceiverLine {
  /// Delay between closing and reopening the port on request.
  private static let pauseToReopen = Duration.milliseconds(100)
  /// Milliseconds that a partly written command may take to leave when the port is closed permanently.
  private static let finalWriteTimeout: Int32 = 200

  func tryToOpen(now: Moment) {
    let speed = dialogue.speed
    let access = settings.control == .none ? SerialPort.Access.readOnly : .readWrite
    let port: SerialPort
    do {
      port = try SerialPort(path: path, speed: speed, access: access)
      let registration = try loop.watch(port.raw, for: .readable) { [unowned self] in ready($0) }
      open = OpenPort(port: port, registration: registration, interest: .readable, speed: speed)
    } catch {
      return lose(error, now: now)
    }
    isLost = false
    decoder.reset()
    pacing.reset()
    earlyReading = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
    restartWatch(now: now)
    provideAiding(now: now)
    if port.hasSpeed, settings.speed == .automatic { readEarlierData(now: now) }
    guard open != nil else { return }
    handle(.opened(hasSpeed: port.hasSpeed), now: now)
  }

  /// Reads bytes that arrived before the port was opened, at a baud rate set by another program. Their epochs
  /// count, but they prove nothing about the present baud rate.
  private func readEarlierData(now: Moment) {
    isReadingEarlierData = true
    defer { isReadingEarlierData = false }
    guard read(now: now) != nil else { return }
    epochTimer?.arm(at: decoder.nextTimeout)
  }

  func lose(_ error: SystemError, now: Moment) {
    close()
    decoder.finish(keep)
    handOver(now: now)
    answers.removeAll(keepingCapacity: true)
    isLost = true
    report(.lost(error))
    let pause = reopening.next(now: now)
    reopenTimer?.arm(within: WakeWindow(after: pause, now: now))
    handle(.lost, now: now)
  }

  /// Closes the port and reopens it after a short delay.
  func reopen(now: Moment) {
    guard open != nil else { return }
    close()
    reopenTimer?.arm(at: now + Self.pauseToReopen)
  }

  func close() {
    guard let open else { return }
    loop.remove(open.registration)
    if !output.isEmpty { open.port.discardOutput() }
    self.open = nil
    output = LineOutput()
    isDrainAwaited = false
    for timer in [readTimer, epochTimer, outputTimer] { timer?.arm(at: nil) }
  }

  /// Changes the host's baud rate; data received at the previous rate is discarded as evidence.
  func setSpeed(_ speed: UInt32, now: Moment) {
    guard let port = open?.port, open?.speed != speed else { return }
    do {
      try port.setSpeed(speed)
    } catch {
      return lose(error, now: now)
    }
    open?.speed = speed
    port.discardInput()
    decoder.reset()
    pacing.reset()
    restartWatch(now: now)
    follow(.watch, now: now)
  }

  /// Sets the events to wait for: bytes unless reading is deferred, room while output waits.
  func adjustInterest(isLeftAlone: Bool, now: Moment) {
    guard let open else { return }
    var interest: EventLoop.Interest = isLeftAlone ? [] : .readable
    if !output.isEmpty { interest.insert(.writable) }
    guard interest != open.interest else { return }
    do {
      try loop.change(open.registration, to: interest)
      self.open?.interest = interest
    } catch {
      lose(error, now: now)
    }
  }

  // MARK: Writing

  func write(_ bytes: [UInt8], now: Moment) {
    guard open != nil else { return }
    guard output.add(bytes, now: now) else { return giveUpOutput(now: now) }
    flush(now: now)
  }

  func flush(now: Moment) {
    while let port = open?.port, let bytes = output.next {
      switch port.write(bytes) {
      case .bytes(let count): output.wrote(count, speed: lineSpeed, now: now)
      case .full:
        armOutput(now: now)
        return adjustInterest(isLeftAlone: isLeftAlone, now: now)
      case .gone(let error): return lose(error, now: now)
      }
    }
    armOutput(now: now)
    adjustInterest(isLeftAlone: isLeftAlone, now: now)
  }

  func awaitDrain(now: Moment) {
    isDrainAwaited = true
    armOutput(now: now)
  }

  func checkOutput(now: Moment) {
    if let hungAt = output.hungAt, now >= hungAt { return giveUpOutput(now: now) }
    armOutput(now: now)
  }

  /// Arms the output timer: for the end of the transmission, or for the time at which the line counts as
  /// hung.
  private func armOutput(now: Moment) {
    guard let port = open?.port else { return }
    if let hungAt = output.hungAt {
      outputTimer?.arm(at: hungAt)
    } else if isDrainAwaited {
      if let next = output.drained(unsent: port.unsentBytes, speed: lineSpeed, now: now) {
        outputTimer?.arm(at: next)
      } else {
        outputTimer?.arm(at: nil)
        isDrainAwaited = false
        handle(.drained, now: now)
      }
    } else {
      outputTimer?.arm(at: nil)
    }
  }

  private func giveUpOutput(now: Moment) {
    lose(SystemError(call: "write", subject: path, number: ETIMEDOUT), now: now)
  }

  /// Sends the rest of a partly written command, and no other; waits a short time for a full line.
  func endOutput() {
    output.dropUnbegun()
    guard !output.isEmpty, let port = open?.port else { return }
    var room = pollfd(fd: port.raw, events: Int16(POLLOUT), revents: 0)
    if poll(&room, 1, Self.finalWriteTimeout) > 0 { flush(now: loop.now) }
  }

  var lineSpeed: UInt32? { open.flatMap { $0.port.hasSpeed ? $0.speed : nil } }
  private var isLeftAlone: Bool { open.map { !$0.interest.contains(.readable) } ?? false }
}
