import LoggerConfiguration
import Devices
import Quantities
import Records
import Settings
import System

// The status LED. Logging does not depend on it.
extension Logger {
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
