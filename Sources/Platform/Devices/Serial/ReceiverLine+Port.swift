import Quantities
import System

// Opening and loss of the port.
extension ReceiverLine {
  func tryToOpen(now: Moment) {
    do throws(SystemError) { try endpoint.open(at: dialogue.speed) } catch { return lose(error, now: now) }
    reader.opened()
    restartWatch(now: now)
    provideAiding(now: now)
    let hasSpeed = endpoint.hasSpeed
    if hasSpeed, settings.speed == .automatic { reader.readEarlierData(now: now) }
    guard isOpen else { return }
    handle(.opened(hasSpeed: hasSpeed), now: now)
  }

  func lose(_ error: SystemError, now: Moment) {
    close()
    reader.lost(now: now)
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
    reader.closed()
  }

  /// Changes the host's baud rate; data received at the previous rate is discarded as evidence.
  func setSpeed(_ speed: UInt32, now: Moment) {
    guard endpoint.setSpeed(speed, now: now) else { return }
    reader.restart()
    restartWatch(now: now)
    reader.watchLine(now: now)
  }
}
