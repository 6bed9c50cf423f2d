import GNSSProtocol
import Quantities

/// Assembles one fix from all reports of gpsd for one epoch.
///
/// Newer versions report a position after each sentence, with more content each time, and the error ellipse
/// separately. The last position of a time counts. A report of another time closes an epoch, as does silence,
/// or as many reports as each of the previous two epochs had. Later reports for a closed epoch are dropped.
struct GPSDEpochs: Sendable {
  /// Silence that closes an epoch; longer than a burst of satellite sentences at 9600 baud, during which gpsd sends no
  /// report.
  static let silence = Duration.milliseconds(400)
  /// Maximum age of the satellite geometry, which changes slowly.
  static let longestSatelliteAge = Duration.seconds(2)
  /// Maximum number of receivers whose drivers are remembered.
  private static let mostDrivers = 8

  private struct Open {
    var time: Timestamp?
    var position: GPSDPosition?
    var deviation: GPSDDeviation?
    var reports = 0
    var end: Moment
  }

  private var open: Open?
  private var closedTime: Timestamp?
  /// Number of reports of an epoch; nil until two consecutive epochs had the same number.
  private var expectedReports: Int?
  private var lastReports = 0
  private var satellites: (reported: GPSDSatellites, at: Moment)?
  private var following = GPSDFollowing()
  private var drivers: [String: String] = [:]

  /// The time at which the open epoch is closed for silence.
  var nextTimeout: Moment? { open?.end }
  /// Path of the receiver that supplies the fixes; nil before the first report.
  var device: String? { following.device }

  mutating func take(_ report: GPSDReport, now: Moment, _ emit: (Fix) -> Void) {
    switch report {
    case .position(let position): take(position, now: now, emit)
    case .deviation(let deviation): take(deviation, now: now, emit)
    case .satellites(let satellites): take(satellites, now: now)
    case .device(let device): record(device)
    case .devices(let devices): for device in devices { record(device) }
    case .version, .watch, .ignored: break
    }
  }

  mutating func handleTimeout(now: Moment, _ emit: (Fix) -> Void) {
    guard let nextTimeout, now >= nextTimeout else { return }
    finish(now: now, emit)
  }

  /// Closes the epoch in progress.
  mutating func finish(now: Moment, _ emit: (Fix) -> Void) {
    learn()
    close(now: now, emit)
  }

  private mutating func take(_ position: GPSDPosition, now: Moment, _ emit: (Fix) -> Void) {
    let followed = device
    // Mode 0 comes from gpsd itself, before the receiver sent anything.
    guard position.mode >= 1, following.received(position.device, hasFix: position.hasPosition, now: now)
    else {
      return
    }
    if followed != device {
      finish(now: now, emit)
      (closedTime, expectedReports, lastReports, satellites) = (nil, nil, 0, nil)
    }
    // A position without a time forms an epoch by itself; a report with neither is ignored.
    guard position.time != nil || position.hasPosition && open?.time == nil else { return }
    guard turn(to: position.time, now: now, emit) else { return }
    open?.position = position
    closeIfComplete(now: now, emit)
  }

  private mutating func take(_ deviation: GPSDDeviation, now: Moment, _ emit: (Fix) -> Void) {
    guard deviation.device == device, deviation.time != nil else { return }
    guard turn(to: deviation.time, now: now, emit) else { return }
    open?.deviation = deviation
    closeIfComplete(now: now, emit)
  }

  private mutating func take(_ report: GPSDSatellites, now: Moment) {
    guard report.device == device else { return }
    var merged = report
    // gpsd may report the DOP values in one line and the satellites in the next.
    if let satellites, now - satellites.at < Self.longestSatelliteAge {
      merged.horizontalDilution = merged.horizontalDilution ?? satellites.reported.horizontalDilution
      merged.verticalDilution = merged.verticalDilution ?? satellites.reported.verticalDilution
      merged.positionDilution = merged.positionDilution ?? satellites.reported.positionDilution
      merged.satellitesUsed = merged.satellitesUsed ?? satellites.reported.satellitesUsed
    }
    satellites = (merged, now)
  }

  private mutating func record(_ device: GPSDDevice) {
    guard !device.driver.isEmpty else { return }
    if drivers.count >= Self.mostDrivers, drivers[device.path] == nil { drivers = [:] }
    drivers[device.path] = device.driver
  }

  /// Makes the epoch of `time` the open one and counts a report. Returns false if that epoch is closed already.
  private mutating func turn(to time: Timestamp?, now: Moment, _ emit: (Fix) -> Void) -> Bool {
    if let open, open.time != time { finish(now: now, emit) }
    if open == nil {
      if let time, time == closedTime {
        // The epoch was closed too early: learn the number of reports again.
        (expectedReports, lastReports) = (nil, 0)
        return false
      }
      open = Open(time: time, end: now)
    }
    open?.reports += 1
    open?.end = now + Self.silence
    return true
  }

  private mutating func closeIfComplete(now: Moment, _ emit: (Fix) -> Void) {
    if let open, open.position != nil, open.time != nil, open.reports == expectedReports {
      close(now: now, emit)
    }
  }

  private mutating func learn() {
    guard let open, open.position != nil else { return }
    expectedReports = open.reports == lastReports ? lastReports : nil
    lastReports = open.reports
  }

  private mutating func close(now: Moment, _ emit: (Fix) -> Void) {
    guard let closed = open else { return }
    open = nil
    closedTime = closed.time
    guard let position = closed.position else { return }
    let isFresh = satellites.map { now - $0.at < Self.longestSatelliteAge } ?? false
    emit(
      position.fix(
        deviation: closed.deviation, satellites: isFresh ? satellites?.reported : nil,
        isEstimatedByReceiver: drivers[position.device] == "u-blox"))
  }
}
