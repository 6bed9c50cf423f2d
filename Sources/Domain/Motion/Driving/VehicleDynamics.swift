import Quantities

/// The motion of a vehicle as a device in it measures it: the orientation of the device, and harsh driving.
struct VehicleDynamics: Sendable {
  private var calibration = MountCalibration()
  private var watch = DrivingWatch()

  /// The orientation of the device.
  var mount: Mount { calibration.mount }

  /// The thresholds of harsh driving.
  var thresholds: DrivingThresholds {
    get { watch.thresholds }
    set { watch.thresholds = newValue }
  }

  /// Processes a sample of the grid.
  @inline(__always)
  mutating func take(_ sample: GridStream.Sample, isDriving: Bool) {
    watch.take(
      sample, mount: calibration.mount, stationary: calibration.scale, isDriving: isDriving)
  }

  /// Calibrates the mount by one second with its mean vector in g.
  mutating func calibrate(_ mean: SIMD3<Float>, isStationary: Bool, isDriving: Bool, speed: SpeedReading?) {
    calibration.take(mean, isStationary: isStationary, isDriving: isDriving, speed: speed)
  }

  /// Ends a manoeuvre because samples are missing.
  mutating func breakOff() { watch.breakOff() }

  /// Returns and removes the events of harsh driving, at most eight.
  mutating func fetchEvents() -> [DrivingEvent] { watch.fetch() }
}
