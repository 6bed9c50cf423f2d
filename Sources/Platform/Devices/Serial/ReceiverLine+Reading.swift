import EventLoop
import GNSSProtocol
import Glibc
import Quantities
import System

// Reads the line once per epoch, or as the bytes arrive.
extension ReceiverLine {
  /// Maximum number of reads in one loop iteration, to keep the loop responsive on a fast line.
  private static let readsPerTurn = 4

  func ready(_ readiness: EventLoop.Readiness) {
    let now = loop.now
    if readiness.contains(.writable) { endpoint.flush(now: now) }
    // While reading is deferred, only a hang-up is reported; reading shows the cause.
    if !readiness.isDisjoint(with: [.readable, .hangup]) {
      drain(now: now, isHungUp: readiness.contains(.hangup))
    }
  }

  func drain(now: Moment, isHungUp: Bool = false) {
    guard !isReading, let reading = read(now: now) else { return }
    if isHungUp, reading.bytes == 0 {
      // A hang-up would be reported in every loop iteration.
      return lose(SystemError(call: "read", subject: path, number: EIO), now: now)
    }
    let drain = BurstPacing.Drain(
      bytes: reading.bytes + earlyReading.bytes,
      closedEpochs: reading.closedEpochs + earlyReading.closedEpochs)
    earlyReading = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
    guard isOpen else { return }
    let nextRead: BurstPacing.NextRead
    if let batching = nextReadWhileBatching(now: now) {
      pacing.reset()
      nextRead = batching
    } else if dialogue.listensClosely {
      pacing.reset()
      nextRead = .watch
    } else {
      nextRead = pacing.drained(drain, now: now)
    }
    follow(nextRead, now: now)
    // Bytes after a closed epoch are read with the next one.
    let isLeftAlone = nextRead != .watch && drain.closedEpochs > 0
    epochTimer?.arm(at: isLeftAlone ? nil : decoder.nextTimeout)
  }

  /// Reads the epochs that collect in the line's buffer.
  func readCoalesced(now: Moment) {
    guard pacing.isCoalescing, !isReading, readEarly(now: now) else { return }
    lastCompletion = now
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
  func read(now: Moment) -> BurstPacing.Drain? {
    isReading = true
    defer { isReading = false }
    guard isOpen else { return nil }
    var reading = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
    for _ in 0..<Self.readsPerTurn {
      guard let result = endpoint.read(into: buffer) else { return nil }
      switch result {
      case .bytes(let count):
        reading.bytes += count
        decoder.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: now, keep)
        reading.closedEpochs += closedEpochs.count
        handOver(now: now, after: reading.closedEpochs)
        if reportsSignalStrength, let strongest = decoder.takeStrongestSignal() {
          onSignalStrength(Double(strongest), now)
        }
        processReceived(bytes: count, now: now)
        if count < buffer.count { return isOpen ? reading : nil }
      case .empty: return reading
      case .gone(let error):
        lose(error, now: now)
        return nil
      }
    }
    return isOpen ? reading : nil
  }

  func keep(_ reception: Reception) {
    switch reception {
    case .epoch(let fix): closedEpochs.append(fix)
    case .answer(let answer): answers.append(answer)
    case .satelliteReport(let satelliteReport): take(satelliteReport)
    }
  }

  /// Emits the closed epochs; `count` is the number closed by this reading so far.
  func handOver(now: Moment, after count: Int = 1) {
    guard !closedEpochs.isEmpty else { return }
    var fixes: [Fix] = []
    swap(&fixes, &closedEpochs)
    if dialogue.keepsEpochs {
      for fix in fixes { order.take(fix) }
      return releaseEpochs(now: now)
    }
    if fixes.count == 1, count + earlyReading.closedEpochs == 1, !pacing.isCoalescing, !isReadingEarlierData {
      epochBegan = decoder.lastSpan?.start(bitsPerSecond: endpoint.speed)
    }
    defer { epochBegan = nil }
    var arrival = now
    if pacing.isCoalescing {
      arrival = pacing.completion(ofLast: count + earlyReading.closedEpochs, now: now)
    }
    for fix in fixes {
      let moment =
        pacing.isCoalescing ? coalescedMoment(fix, before: fixes[fixes.count - 1], at: arrival) : now
      order.recordEmitted(fix, at: moment)
      deliver(fix, at: moment)
    }
    // Keeps the memory for the next epoch, unless a callback has added to it.
    fixes.removeAll(keepingCapacity: true)
    if closedEpochs.isEmpty { closedEpochs = fixes }
  }

  func deliver(_ fix: Fix, at moment: Moment) {
    followSatellites(fix, now: loop.now)
    if dialogue.admits(fix, now: moment) {
      watch(.epoch(fix), now: moment)
      onEpoch(fix, moment)
    } else {
      onWithheld(fix, moment)
    }
  }

  /// The time at which a collected epoch was complete, by its own time; never before the last emitted one.
  private func coalescedMoment(_ fix: Fix, before last: Fix, at arrival: Moment) -> Moment {
    var behind = Int64.zero
    if let own = fix.millisecondOfDay, let end = last.millisecondOfDay {
      behind = Int64(end) - Int64(own)
      if behind < 0 { behind += Timestamp.millisecondsPerDay }
    }
    // Times out of sequence give no time of arrival.
    if behind > Self.longestBehind { behind = 0 }
    lastCompletion = max(lastCompletion, arrival - .milliseconds(behind))
    return lastCompletion
  }

  /// Longest plausible delay in ms; well above the content of a line's buffer at the slowest paced rate.
  private static let longestBehind: Int64 = 600_000

  /// Reports the data read since the last call to dialogue and watch.
  private func processReceived(bytes: Int, now: Moment) {
    noticeFilter.received()
    hasReceivedData = true
    endpoint.received(now: now)
    let frames = decoder.frames
    let fresh = Int(clamping: frames &- framesBefore)
    framesBefore = frames
    reportForeignProtocol()
    // Of data sent before the port was opened, only the protocol counts.
    guard !isReadingEarlierData else { return answers.removeAll(keepingCapacity: true) }
    watch(.received(bytes: bytes, frames: fresh), now: now)
    handle(.received(bytes: bytes, frames: fresh), now: now)
    handleAnswers(now: now)
  }

  /// Reports an unsupported protocol, which the decoder detects once.
  private func reportForeignProtocol() {
    for case .foreign(let language) in answers { report(.foreign(language)) }
  }

  private func handleAnswers(now: Moment) {
    guard !answers.isEmpty else { return }
    var received: [ReceiverAnswer] = []
    swap(&received, &answers)
    for answer in received {
      if case .storedEpoch = answer {} else { watch(.answer(answer), now: now) }
      handle(.answer(answer), now: now)
    }
  }

  func follow(_ nextRead: BurstPacing.NextRead, now: Moment) {
    switch nextRead {
    case .watch:
      readTimer?.arm(at: nil)
      endpoint.adjustInterest(isLeftAlone: false, now: now)
    case .sleep(let until):
      readTimer?.arm(at: until)
      endpoint.adjustInterest(isLeftAlone: true, now: now)
    }
  }

  func closeEpoch(now: Moment) {
    // Unread bytes on a line with deferred reading are not silence.
    guard readEarly(now: now) else { return }
    decoder.handleTimeout(now: now, keep)
    handOver(now: now)
    handleAnswers(now: now)
    guard isOpen else { return }
    epochTimer?.arm(at: decoder.nextTimeout)
  }
}
