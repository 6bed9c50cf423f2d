import CGPSD
import Glibc
import Quantities

/// A connection to gpsd that receives its reports.
///
/// Opening may block. Therefore another thread opens the connection and hands it over once, which is why the
/// class is sendable. Only one thread uses it at any time.
final class GPSDConnection: @unchecked Sendable {
  private let handle: UnsafeMutableRawPointer
  private var lines = GPSDLineBuffer()

  /// The result of a read.
  enum Reading: Equatable {
    case report(GPSDReport)
    /// Bytes without the end of a line arrived.
    case part
    /// Nothing more to read.
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

  /// Reads one line, without blocking (recv(2), gps_unpack in gps.h). Further lines may wait that the descriptor does not
  /// signal: read until `empty`.
  func read() -> Reading {
    if let report = lines.next(report) { return .report(report) }
    let raw = raw
    let count = lines.fill { recv(raw, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
    switch count {
    case 1...: return lines.next(report).map { .report($0) } ?? .part
    case 0: return .ended
    case _: return [EAGAIN, EINTR].contains(errno) ? .empty : .ended
    }
  }

  /// The number of lines that were too long since the last call.
  func takeOverlong() -> Int { lines.takeOverlong() }

  private func report(_ line: UnsafeMutableBufferPointer<UInt8>) -> GPSDReport {
    guard let start = line.baseAddress else { return .ignored(.noClass) }
    let kind: GPSDLine.Class
    switch GPSDLine.prepare(line) {
    case .ignored(let reason): return .ignored(reason)
    case .read(.watch): return .watch
    case .read(let known): kind = known
    }
    var report = outrider_gpsd_report()
    outrider_gpsd_unpack(handle, start, kind == .deviation, kind == .satellites, &report)
    return switch kind {
    case .position: .position(GPSDPosition(report, device: device))
    case .satellites: .satellites(GPSDSatellites(report, device: device))
    case .deviation: .deviation(GPSDDeviation(report, device: device))
    case .device: .device(device(at: nil))
    case .devices: .devices((0..<outrider_gpsd_device_count(handle)).map { device(at: $0) })
    case .version: .version(release: Self.text(outrider_gpsd_release(handle)))
    case .watch: .watch
    }
  }

  private var device: String { Self.text(outrider_gpsd_device(handle)) }

  /// The device at an index of a DEVICES report, or the device of a DEVICE report.
  private func device(at index: Int32?) -> GPSDDevice {
    let index = index ?? OUTRIDER_GPSD_ONLY_DEVICE
    var device = GPSDDevice(path: Self.text(outrider_gpsd_path_at(handle, index)))
    device.driver = Self.text(outrider_gpsd_driver_at(handle, index))
    device.subtype = Self.text(outrider_gpsd_subtype_at(handle, index))
    device.isActive = outrider_gpsd_is_active_at(handle, index)
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
