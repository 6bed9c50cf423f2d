import CGPSD
import Quantities

/// A connection to gpsd that receives its reports.
///
/// Opening may block. Therefore another thread opens the connection and hands it over once, which is why the
/// class is sendable. Only one thread uses it at any time.
final class GPSDConnection: @unchecked Sendable {
  private let handle: UnsafeMutableRawPointer

  /// The result of a read.
  enum Reading: Equatable {
    case report(GPSDReport)
    /// No complete line is available.
    case empty
    /// gpsd closed the connection.
    case ended
  }

  /// Connects (gps_open(3)). Name service and network may take seconds to minutes if a host does not answer.
  init(host: String, port: UInt16) throws(GPSDFailure) {
    var error: Int32 = 0
    guard let handle = outrider_gpsd_open(host, "\(port)", &error) else { throw GPSDFailure(opening: error) }
    self.handle = handle
  }

  deinit { outrider_gpsd_close(handle) }

  var raw: Int32 { outrider_gpsd_descriptor(handle) }

  /// Reads one line (gps_read(3)). The library may buffer further lines that the descriptor does not signal:
  /// read until `empty`.
  func read() -> Reading {
    var report = outrider_gpsd_report()
    outrider_gpsd_read(handle, &report)
    switch outrider_gpsd_class(report.kind) {
    case OUTRIDER_GPSD_NOTHING: return .empty
    case OUTRIDER_GPSD_LOST: return .ended
    case OUTRIDER_GPSD_TPV: return .report(.position(GPSDPosition(report, device: device)))
    case OUTRIDER_GPSD_SKY: return .report(.satellites(GPSDSatellites(report, device: device)))
    case OUTRIDER_GPSD_GST: return .report(.deviation(GPSDDeviation(report, device: device)))
    case OUTRIDER_GPSD_DEVICE: return .report(.device(device(report.kind, 0)))
    case OUTRIDER_GPSD_DEVICES:
      let count = outrider_gpsd_device_count(handle)
      return .report(.devices((0..<count).map { device(report.kind, $0) }))
    case OUTRIDER_GPSD_VERSION: return .report(.version(release: Self.text(outrider_gpsd_release(handle))))
    case _: return .report(.other)
    }
  }

  private var device: String { Self.text(outrider_gpsd_device(handle)) }

  private func device(_ kind: Int32, _ index: Int32) -> GPSDDevice {
    var device = GPSDDevice(path: Self.text(outrider_gpsd_path_at(handle, kind, index)))
    device.driver = Self.text(outrider_gpsd_driver_at(handle, kind, index))
    device.subtype = Self.text(outrider_gpsd_subtype_at(handle, kind, index))
    device.isActive = outrider_gpsd_is_active_at(handle, kind, index)
    return device
  }

  private static func text(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
}

extension GPSDPosition {
  init(_ report: outrider_gpsd_report, device: String) {
    self.device = device
    mode = Int(report.mode)
    status = Int(report.status)
    time = Timestamp(report)
    latitude = known(report.latitude)
    longitude = known(report.longitude)
    altitude = known(report.altitude)
    ellipsoidHeight = known(report.ellipsoid_height)
    undefinedAltitude = known(report.old_altitude)
    speed = known(report.speed)
    course = known(report.course)
    climb = known(report.climb)
    horizontalError = known(report.horizontal_error)
    longitudeError = known(report.longitude_error)
    latitudeError = known(report.latitude_error)
    verticalError = known(report.vertical_error)
    speedError = known(report.speed_error)
    courseError = known(report.course_error)
  }
}

extension GPSDSatellites {
  init(_ report: outrider_gpsd_report, device: String) {
    self.device = device
    horizontalDilution = known(report.horizontal_dilution)
    verticalDilution = known(report.vertical_dilution)
    positionDilution = known(report.position_dilution)
    // Zero is also reported for a receiver that does not count satellites.
    satellitesUsed = report.satellites_used > 0 ? UInt8(clamping: report.satellites_used) : nil
  }
}

extension GPSDDeviation {
  init(_ report: outrider_gpsd_report, device: String) {
    self.device = device
    time = Timestamp(report)
    latitude = known(report.latitude_deviation)
    longitude = known(report.longitude_deviation)
    altitude = known(report.altitude_deviation)
  }
}

extension Timestamp {
  /// The time of a report; nil for libgps's values for an absent or unreadable time: nothing before GPS began, or after
  /// year 9999.
  fileprivate init?(_ report: outrider_gpsd_report) {
    guard (315_964_800...253_402_300_799).contains(report.seconds),
      (0..<1_000_000_000).contains(report.nanoseconds)
    else { return nil }
    // Rounded, to keep the third decimal that gpsd prints.
    self.init(milliseconds: report.seconds * 1000 + (report.nanoseconds + 500_000) / 1_000_000)
  }
}

private func known(_ value: Double) -> Double? { value.isFinite ? value : nil }
