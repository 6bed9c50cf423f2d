import Motion
import Quantities
import Records

/// What records say about the device besides its position: battery, network, steps, and motion by the speed of the fixes.
///
/// The motion derived from the speed is for display only. Filters, trips and the receiver schedule use ``SensedMotion``, so
/// that a device records the same fixes with and without it.
struct RecordFactory: Sendable {
  /// The last state reported by a gauge; nil without one.
  private(set) var battery: Battery?
  /// The Wi-Fi network that the device has joined; nil if none, or if unknown.
  var network: JoinedNetwork?
  /// Steps counted since this start of the program.
  private(set) var steps: Int32?
  /// Number of steps counted by earlier runs.
  private var stepsBefore: Int32 = 0
  private var speedMotion = SpeedClassifier()

  mutating func take(_ battery: Battery) { self.battery = battery }
  mutating func take(steps: Int32) { self.steps = steps }
  mutating func restore(steps: Int32) { stepsBefore = steps }

  /// Total steps counted; nil without a counter.
  var totalSteps: Int32? { steps.map { $0.addingReportingOverflow(stepsBefore).partialValue } }

  /// The state of the battery, or what is assumed without a gauge.
  func battery(_ settings: TrackerSettings) -> Battery { battery ?? Battery(settings.supply) }

  /// The state of the device for a record. A hidden location has no network name, which would reveal it.
  func device(_ settings: TrackerSettings, isHidden: Bool) -> DeviceState {
    let battery = battery(settings)
    return DeviceState(
      deviceID: settings.deviceID, batteryState: battery.state, batteryPercent: battery.percent,
      wifi: isHidden ? "" : network?.name ?? "")
  }

  /// Processes the speed of a fix.
  mutating func take(speed: Double?, accuracy: Double?, at moment: Moment) {
    speedMotion.take(speed: speed, accuracy: accuracy, at: moment)
  }

  /// The motion derived from the speed of the fixes, with its confidence; nil without a known speed, and if the last one is
  /// too old.
  func motionBySpeed(at moment: Moment) -> SpeedClassifier.Answer? { speedMotion.answer(at: moment) }
}
