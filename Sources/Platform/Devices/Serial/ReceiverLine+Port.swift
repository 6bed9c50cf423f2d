import Quantities
import System

// Opening and loss of the port.
extension ReceiverLine {
  func tryToOpen(now: Moment) {
    do throws(SystemError) { try endpoint.open(at: dialogue.speed) } catch { return lose(error, now: now) }
    decoder.reset()
    pacing.reset()
    earlyReading = BurstPacing.Drain(bytes: 0, closedEpochs: 0)
    restartWatch(now: now)
    provideAiding(now: now)
    let hasSpeed = endpoint.hasSpeed
    if hasSpeed, settings.speed == .automatic { readEarlierData(now: now) }
    guard isOpen else { return }
    handle(.opened(hasSpeed: hasSpeed), now: now)
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
    endpoint.retryLater(now: now)
    report(.lost(error))
    handle(.lost, now: now)
  }

  /// Closes the port and reopens it after a short delay.
  func reopen(now: Moment) {
    guard isOpen else { return }
    close()
    endpoint.reopenSoon(now: now)
  }

  func close() {
    guard isOpen else { return }
    endpoint.close()
    for timer in [readTimer, epochTimer] { timer?.arm(at: nil) }
  }

  /// Changes the host's baud rate; data received at the previous rate is discarded as evidence.
  func setSpeed(_ speed: UInt32, now: Moment) {
    guard endpoint.setSpeed(speed, now: now) else { return }
    decoder.reset()
    pacing.reset()
    restartWatch(now: now)
    follow(.watch, now: now)
  }
}
