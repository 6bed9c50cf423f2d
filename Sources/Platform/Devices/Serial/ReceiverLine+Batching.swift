import GNSSReceiver
import Glibc
import Quantities
import System

// Epochs that the receiver stores arrive in one batch; they are emitted when the last of them is there.
extension ReceiverLine {
  /// Maximum time that bytes remain unread in the line's buffer.
  static let longestCoalescing = ReceiverWatch.silence - .seconds(10)
  /// Time after the agreed silence until it becomes suspicious: the receiver is asked twice, and sending the
  /// stored epochs takes time.
  private static let graceOfSilence = Duration.seconds(60)
  /// Maximum age of epochs on which a decision may be based without reading again, as when one decision leads
  /// to another.
  private static let freshness = Duration.milliseconds(100)
  /// Limit of the bytes that arrive before the line is read. The kernel stores what exceeds the line's buffer
  /// (tty_buffer: 64 KiB and more, 8 KiB on a pseudo-terminal), and a line without flow control is not held up.
  private static let chunkBytes = 8192
  /// The shortest wait for bytes with a known time of arrival.
  private static let shortestWait = Duration.milliseconds(20)
  /// Maximum delay of the program's end for epochs stored in the receiver: 300 epochs take 9 s at 38,400
  /// bit/s.
  private static let storedEpochTimeout = Duration.seconds(12)

  /// Sets the longest time that epochs may wait before they are read; zero reads each one. They wait in the
  /// receiver's memory if it has one and the saving is worth it, else in the line's buffer, of which only the
  /// safe part is used.
  public func coalesceEpochs(for latencyBudget: Duration) {
    desiredLatencyBudget = latencyBudget
    if !isReleasing { applyLatencyBudget() }
  }

  private func applyLatencyBudget() {
    let now = loop.now
    if desiredLatencyBudget != sentLatencyBudget {
      sentLatencyBudget = desiredLatencyBudget
      handle(.request(.batches(every: desiredLatencyBudget)), now: now)
    }
    let latencyBudget = min(desiredLatencyBudget, Self.longestCoalescing)
    reader.setLatencyBudget(latencyBudget, now: now)
  }

  /// Reads the waiting epochs. Call this before any other decision, because it must not be based on outdated
  /// epochs.
  ///
  /// Returns false if the receiver stores epochs. They are requested unless `asks` is false, and
  /// ``onCaughtUp`` is called once they have been emitted. Decisions wait until then.
  @discardableResult
  public func catchUp(now: Moment, asks: Bool = true) -> Bool {
    guard isOpen, dialogue.keepsEpochs else {
      reader.readCoalesced(now: now)
      return true
    }
    guard !isReleasing else { return true }
    if dialogue.isTransferringEpochs || now - releasedAt >= Self.freshness {
      isCatchingUp = true
    } else {
      order.decided(at: now)
      return true
    }
    if asks { handle(.request(.storedEpochs), now: now) }
    return !isCatchingUp
  }

  /// The next action on the line while the receiver stores or sends batched epochs; nil at other times.
  func nextReadWhileBatching(now: Moment) -> BurstPacing.NextRead? {
    guard dialogue.keepsEpochs else { return nil }
    guard let bytes = dialogue.bytesToCome, let speed = endpoint.speed, speed > 0 else { return .watch }
    let chunkBytes = Int64(min(bytes, Self.chunkBytes))
    return .sleep(
      until: now + max(.nanoseconds(chunkBytes * 10_000_000_000 / Int64(speed)), Self.shortestWait))
  }

  /// Passes an input to the watch, after any epochs that are still to come.
  func watch(_ input: WatchInput, now: Moment) {
    guard dialogue.isTransferringEpochs, !isReleasing else {
      return take(receiverWatch.handle(input, now: now), now: now)
    }
    if case .received(let bytes, let frames) = input,
      case .received(let before, let framesBefore)? = deferredInputs.last
    {
      deferredInputs[deferredInputs.count - 1] = .received(
        bytes: before + bytes, frames: framesBefore + frames)
    } else if deferredInputs.count < Self.mostDeferred {
      deferredInputs.append(input)
    }
  }

  private static let mostDeferred = 64

  /// Emits the batched epochs once they are complete.
  func releaseEpochs(now: Moment) {
    guard !isReleasing, !dialogue.isTransferringEpochs else { return }
    if !order.isEmpty || !deferredInputs.isEmpty {
      isReleasing = true
      for (fix, moment) in order.release(now: now) { deliver(fix, at: moment) }
      let inputs = deferredInputs
      deferredInputs = []
      for input in inputs { watch(input, now: now) }
      isReleasing = false
      releasedAt = now
      applyLatencyBudget()
    }
    agreeOnSilence(now: now)
    guard isCatchingUp, !dialogue.isTransferringEpochs else { return }
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
  func retrieveStoredEpochs() {
    guard dialogue.keepsEpochs else { return }
    coalesceEpochs(for: .zero)
    // The loop's clock may be simulated, and would stand still here.
    let (start, startOfWait) = (loop.now, SystemClock.moment())
    func passed() -> Moment { start + (SystemClock.moment() - startOfWait) }
    let end = start + Self.storedEpochTimeout
    while dialogue.isBatching, let raw = endpoint.raw {
      let now = passed()
      guard now < end else { return }
      let wait = min(end, dialogue.nextTimeout ?? end) - now
      var ready = pollfd(
        fd: raw, events: Int16(endpoint.hasOutput ? POLLIN | POLLOUT : POLLIN), revents: 0)
      _ = poll(&ready, 1, Int32(clamping: max(wait.wholeMilliseconds, 0) + 1))
      if endpoint.hasOutput { endpoint.flush(now: passed()) }
      guard reader.read(now: passed()) != nil else { return }
      take(dialogue.handleTimeout(now: passed()), now: passed())
    }
  }
}
