import Devices
import Quantities
import Records
import Settings
import SystemLoop

// The ignition line and the status LED. Logging does not depend on them.
extension Logger {
  /// Contacts bounce for some milliseconds, and a starter lowers the supply voltage briefly.
  private static let ignitionDebounce = Duration.milliseconds(100)

  /// Starts to watch the ignition line, if one is configured.
  func startIgnition() {
    guard let settings = configuration.lines.ignition else { return }
    let input = WatchedInput(
      loop: loop, wiring: LineWiring(settings), debounce: Self.ignitionDebounce)
    input.onNotice = { [unowned self] notice, now in take(notice, now: now) }
    ignition = input
    input.start()
  }

  private func take(_ notice: WatchedInput.Notice, now: Moment) {
    switch notice {
    case .level(let isOn):
      process(.ignition(isOn), now: now)
      process(.occurred(EventRecord(ignition: isOn)), now: now)
    case .lost(let error):
      process(.ignition(nil), now: now)
      process(.occurred(EventRecord(ignitionLost: error)), now: now)
    }
  }

  // MARK: The status LED

  /// Switches the status LED. Called after every change that may affect it.
  ///
  /// The kernel keeps control of the LED until it is lit for the first time.
  func showRecording() {
    let asks = tripRuns ? configuration.trip.showsIndicator : configuration.main.showsIndicator
    let isLit = asks && configuration.isTracking && !isStopped
    guard isLit != lightShows, let settings = configuration.leds.status else { return }
    lightShows = isLit
    do throws(SystemError) {
      if light == nil { light = try StatusLight(settings.wiring) }
      try light?.show(isLit)
    } catch {
      guard isLit else { return }
      journal.log(
        .warning,
        "leds.status: \(error); recording is not indicated; permit this user to write to the LED (udev rule)")
    }
  }
}

extension LEDSettings.Light {
  fileprivate var wiring: StatusLight.Wiring {
    switch self {
    case .named(let name): .named(name)
    case .line(let line): .line(LineWiring(line))
    }
  }
}
