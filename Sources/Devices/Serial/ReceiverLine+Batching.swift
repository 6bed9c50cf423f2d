import GNSS
import Glibc
import Quantities
import SystemLoop

// Epochs that the receiver keeps come all at once; they are told when the last of them is there.
extension ReceiverLine {
  /// Bytes that wait unread in the line's buffer for no longer than this.
  static let longestGathering = ReceiverWatch.silence - .seconds(10)
  /// So much later than agreed silence becomes suspicious: it is asked twice, and what it kept takes a while.
  private static let graceOfSilence = Duration.seconds(60)
  /// Of ground on which something may be decided without asking once more, as when one decision leads to another.
  private static let freshness = Duration.milliseconds(100)
  /// So many bytes come before the line is read. More than its buffer holds is kept by the kernel before that buffer
  /// (tty_buffer: 64 KiB and more, 8 KiB on a pseudo-terminal), and a line without flow control is not held up.
  private static let lump = 8192
  /// The shortest wait for bytes of which it is known when they come.
  private static let shortestWait = Duration.milliseconds(20)
  /// How long the end of the program may wait for what the receiver keeps: 300 epochs take 9 s at 38,400 bit/s.
  private static let patienceWithKept = Duration.seconds(12)

  /// For so long epochs may wait before they are taken; zero takes each. They wait in the receiver's memory where it has
  /// one and that is worth it, else in the line's buffer, of which never more is used than surely is there.
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

  /// Takes the epochs that wait. To be called before anything else is decided, so that it is not decided on old ground.
  ///
  /// False where the receiver keeps some: they were asked for unless `asks` is false, and ``onCaughtUp`` is called when
  /// they have been told. What is to be decided waits for that.
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

  /// What to do with the line while the receiver keeps its epochs or tells them; nil at other times.
  func planOfBatching(now: Moment) -> BurstPacing.Plan? {
    guard dialogue.keepsEpochs else { return nil }
    guard let bytes = dialogue.bytesToCome, let speed = lineSpeed, speed > 0 else { return .watch }
    let lump = Int64(min(bytes, Self.lump))
    return .sleep(until: now + max(.nanoseconds(lump * 10_000_000_000 / Int64(speed)), Self.shortestWait))
  }

  /// Tells the watch, but not before the epochs that are still to come.
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

  /// Tells the epochs that came once there are no more to come.
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

  /// At the end of the program: what is kept would be lost. The loop does not run any more, so the line is waited for
  /// here.
  func takeKept() {
    guard dialogue.keepsEpochs else { return }
    gather(for: .zero)
    let end = loop.now + Self.patienceWithKept
    while dialogue.isBatching, let port = open?.port {
      let now = loop.now
      guard now < end else { return }
      let wait = min(end, dialogue.nextTimeout ?? end) - now
      var ready = pollfd(fd: port.raw, events: Int16(output.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0)
      _ = poll(&ready, 1, Int32(clamping: max(wait.wholeMilliseconds, 0) + 1))
      if !output.isEmpty { flush(now: loop.now) }
      guard read(now: loop.now) != nil else { return }
      take(dialogue.handleTimeout(now: loop.now), now: loop.now)
    }
  }
}
