import GNSS
import Glibc
import Quantities
import SystemLoop

// Epochs that the receiver stores arrive in one batch; they are emitted when the last of them is there.
extension ReceiverLine {
  /// Maximum time that bytes remain unread in the line's buffer.
  static let longestGathering = ReceiverWatch.silence - .seconds(10)
  /// Time after the agreed silence until it becomes suspicious: the receiver is asked twice, and sending the
  /// stored epochs takes time.
  private static let graceOfSilence = Duration.seconds(60)
  /// Maximum age of epochs on which a decision may be based without reading again, as when one decision leads
  /// to another.
  private static let freshness = Duration.milliseconds(100)
  /// Limit of the bytes that arrive before the line is read. The kernel stores what exceeds the line's buffer
  /// (tty_buffer: 64 KiB and more, 8 KiB on a pseudo-terminal), and a line without flow control is not held up.
  private static let lump = 8192
  /// The shortest wait for bytes with a known time of arrival.
  private static let shortestWait = Duration.milliseconds(20)
  /// Maximum delay of the program's end for epochs stored in the receiver: 300 epochs take 9 s at 38,400
  /// bit/s.
  private static let patienceWithKept = Duration.seconds(12)

  /// Sets the longest time that epochs may wait before they are read; zero reads each one. They wait in the
  /// receiver's memory if it has one and the saving is worth it, else in the line's buffer, of which only the
  /// safe part is used.
  public func gather(for patience: Duration) {
    wantedPatience = patience
    if !isReleasing { applyPatience() }
  }

  private func applyPatience() {
    let now = loop.now
    if wantedPatience != toldPatience {
      toldPatience = wantedPatience
      tell(.want(.batches(every: wantedPatience)), now: now)
    }
    let patience = min(wantedPatience, Self.longestGathering)
    guard patience != pacing.patience else { return }
    if patience < pacing.patience { readGathered(now: now) }
    if let plan = pacing.setPatience(patience, now: now) { follow(plan, now: now) }
  }

  /// Reads the waiting epochs. Call this before any other decision, because it must not be based on outdated
  /// epochs.
  ///
  /// Returns false if the receiver stores epochs. They are requested unless `asks` is false, and
  /// ``onCaughtUp`` is called once they have been emitted. Decisions wait until then.
  @discardableResult
  public func catchUp(now: Moment, asks: Bool = true) -> Bool {
    guard open != nil, dialogue.keepsEpochs else {
      readGathered(now: now)
      return true
    }
    guard !isReleasing else { return true }
    if dialogue.isTellingEpochs || now - releasedAt >= Self.freshness {
      isCatchingUp = true
    } else {
      order.decided(at: now)
      return true
    }
    if asks { tell(.want(.storedEpochs), now: now) }
    return !isCatchingUp
  }

  /// The next action on the line while the receiver stores or sends batched epochs; nil at other times.
  func planOfBatching(now: Moment) -> BurstPacing.Plan? {
    guard dialogue.keepsEpochs else { return nil }
    guard let bytes = dialogue.bytesToCome, let speed = lineSpeed, speed > 0 else { return .watch }
    let lump = Int64(min(bytes, Self.lump))
    return .sleep(until: now + max(.nanoseconds(lump * 10_000_000_000 / Int64(speed)), Self.shortestWait))
  }

  /// Passes an input to the watch, after any epochs that are still to come.
  func watch(_ input: WatchInput, now: Moment) {
    guard dialogue.isTellingEpochs, !isReleasing else {
      return take(receiverWatch.handle(input, now: now), now: now)
    }
    if case .heard(let bytes, let frames) = input,
      case .heard(let before, let framesBefore)? = heldInputs.last
    {
      heldInputs[heldInputs.count - 1] = .heard(bytes: before + bytes, frames: framesBefore + frames)
    } else if heldInputs.count < Self.mostHeld {
      heldInputs.append(input)
    }
  }

  private static let mostHeld = 64

  /// Emits the batched epochs once they are complete.
  func releaseEpochs(now: Moment) {
    guard !isReleasing, !dialogue.isTellingEpochs else { return }
    if !order.isEmpty || !heldInputs.isEmpty {
      isReleasing = true
      for (fix, moment) in order.release(now: now) { hand(fix, at: moment) }
      let inputs = heldInputs
      heldInputs = []
      for input in inputs { watch(input, now: now) }
      isReleasing = false
      releasedAt = now
      applyPatience()
    }
    agreeOnSilence(now: now)
    guard isCatchingUp, !dialogue.isTellingEpochs else { return }
    isCatchingUp = false
    onCaughtUp(now)
  }

  private func agreeOnSilence(now: Moment) {
    let until = dialogue.quietUntil.map { $0 + Self.graceOfSilence }
    guard until != agreedSilence else { return }
    agreedSilence = until
    take(receiverWatch.handle(.quiet(until: until), now: now), now: now)
  }

  /// Reads the epochs stored in the receiver at the end of the program, where they would be lost. The loop no
  /// longer runs, so this function waits for the line.
  func takeKept() {
    guard dialogue.keepsEpochs else { return }
    gather(for: .zero)
    // The loop's clock may be simulated, and would stand still here.
    let (start, startOfWait) = (loop.now, SystemClock.moment())
    func passed() -> Moment { start + (SystemClock.moment() - startOfWait) }
    let end = start + Self.patienceWithKept
    while dialogue.isBatching, let port = open?.port {
      let now = passed()
      guard now < end else { return }
      let wait = min(end, dialogue.nextTimeout ?? end) - now
      var ready = pollfd(fd: port.raw, events: Int16(output.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0)
      _ = poll(&ready, 1, Int32(clamping: max(wait.wholeMilliseconds, 0) + 1))
      if !output.isEmpty { flush(now: passed()) }
      guard read(now: passed()) != nil else { return }
      take(dialogue.handleTimeout(now: passed()), now: passed())
    }
  }
}
