import GNSSProtocol
import Quantities

extension GPSDPosition {
  /// Ratio of the 68 % circular error to the 95 % circular error.
  static let horizontalShare = 1.51 / 2.45
  /// The same ratio along one axis.
  static let verticalShare = 1 / 1.96
  /// Vertical error in m, or speed error in m/s, above which a receiver does not know its accuracy.
  private static let largestError = 10_000.0
  /// Horizontal error in metres above which a receiver does not know its accuracy.
  private static let largestHorizontalError = 1_000_000.0

  /// The fix that gpsd reports, with every accuracy as a 68 % figure.
  ///
  /// gpsd passes on the receiver's estimates if there are any. Otherwise it computes them from the satellite
  /// geometry at 95 % (`gpsd_error_model` in its driver core). The report does not show which. Therefore:
  ///
  /// 1. A GST of the same time supplies the error ellipse, as on a serial line.
  ///
  /// 2. `eph`, `epv`, `eps`, `epd` of a u-blox receiver in its binary protocol are hAcc, vAcc, sAcc, headAcc,
  /// and are used unchanged.
  ///
  /// 3. `eph` and `epv` of any other receiver are divided by 1.62 (circle) and 1.96 (one axis). Its `eps` and
  /// `epd` are differences of position errors and are ignored.
  ///
  /// Versions before 3.20 send `epx` and `epy` instead of `eph`, which is the root of the sum of their squares, at the same
  /// confidence level (`driver_ubx.c`, `driver_sirf.c` and `gpsd_error_model` of 3.17 divide a circle by √2). They send
  /// `alt` instead of `altMSL` and `altHAE`.
  ///
  /// `isEstimatedByReceiver` selects the second rule.
  func fix(deviation: GPSDDeviation?, satellites: GPSDSatellites?, isEstimatedByReceiver: Bool) -> Fix {
    var fix = Fix()
    fix.timestamp = time
    fix.millisecondOfDay = time.map { Int32($0.millisecondOfDay) }
    fix.horizontalDilution = satellites?.horizontalDilution.flatMap(Self.dilution)
    fix.verticalDilution = satellites?.verticalDilution.flatMap(Self.dilution)
    fix.positionDilution = satellites?.positionDilution.flatMap(Self.dilution)
    fix.satellitesUsed = satellites?.satellitesUsed
    guard hasPosition, let kind else { return fix }
    fix.kind = kind
    fix.latitude = latitude
    fix.longitude = longitude
    // In a two-dimensional fix the altitude is an assumption, and values derived from it are meaningless.
    if mode >= 3 {
      fix.altitude = altitude ?? (ellipsoidHeight == nil ? undefinedAltitude : nil)
      fix.ellipsoidHeight = ellipsoidHeight
      fix.climb = climb
    }
    fix.speed = speed.flatMap { $0 >= 0 ? $0 : nil }
    fix.course = course.flatMap { (0...360).contains($0) ? $0.truncatingRemainder(dividingBy: 360) : nil }
    setAccuracy(
      of: &fix, deviation: deviation, isEstimatedByReceiver: isEstimatedByReceiver,
      isDilutionUnknown: satellites?.horizontalDilution ?? 0 >= 99)
    if fix.altitude == nil { fix.verticalAccuracy = nil }
    return fix
  }

  /// True if the report has a valid position on Earth that gpsd confirms.
  var hasPosition: Bool {
    guard let latitude, let longitude else { return false }
    return kind != nil && abs(latitude) <= 90 && abs(longitude) <= 180
  }

  /// The kind of fix; nil without a confirmed position. A simulated position is not accepted.
  private var kind: FixKind? {
    guard mode >= 2 else { return nil }
    switch status {
    case 2: return .differential
    case 3: return .realTimeKinematicFixed
    case 4: return .realTimeKinematicFloat
    case 5, 6: return .deadReckoning
    case 8: return nil
    case _: return mode == 2 ? .twoDimensional : .threeDimensional
    }
  }

  private func setAccuracy(
    of fix: inout Fix, deviation: GPSDDeviation?, isEstimatedByReceiver: Bool, isDilutionUnknown: Bool
  ) {
    if isEstimatedByReceiver {
      fix.speedAccuracy = speedError.flatMap(Self.error)
      fix.courseAccuracy = courseError.flatMap { $0 > 0 && $0 <= 180 ? $0 : nil }
    }
    if let north = deviation?.latitude, let east = deviation?.longitude,
      let horizontal = Self.horizontal((north * north + east * east).squareRoot())
    {
      fix.horizontalAccuracy = horizontal
      fix.verticalAccuracy = deviation?.altitude.flatMap(Self.error)
      fix.accuracySource = .errorEllipse
    } else if let horizontal = (horizontalError ?? axisError).flatMap(Self.horizontal) {
      let isOwn = isEstimatedByReceiver
      fix.horizontalAccuracy = isOwn ? horizontal : horizontal * Self.horizontalShare
      fix.verticalAccuracy = verticalError.flatMap(Self.error).map { isOwn ? $0 : $0 * Self.verticalShare }
      fix.accuracySource = isOwn ? .receiver : .gpsd
    } else {
      fix.isVague = horizontalError ?? axisError ?? 0 > Self.largestHorizontalError || isDilutionUnknown
    }
  }

  /// The horizontal error of a version that reports it along the axes; nil without both.
  private var axisError: Double? {
    guard let longitudeError, let latitudeError, longitudeError > 0, latitudeError > 0 else { return nil }
    return (longitudeError * longitudeError + latitudeError * latitudeError).squareRoot()
  }

  /// The horizontal accuracy; nil if out of range.
  private static func horizontal(_ value: Double) -> Double? {
    value > 0 && value <= largestHorizontalError ? value : nil
  }

  /// Any other accuracy; nil if out of range.
  private static func error(_ value: Double) -> Double? { value > 0 && value <= largestError ? value : nil }

  /// The DOP value; nil for 99.99 and 0, which mean unknown.
  private static func dilution(_ value: Double) -> Double? { value > 0 && value < 99 ? value : nil }
}
