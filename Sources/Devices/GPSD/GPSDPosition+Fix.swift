import GNSS
import Quantities

extension GPSDPosition {
  /// Circular error that holds 68 % over the one that holds 95 %.
  static let horizontalShare = 1.51 / 2.45
  /// The same along one axis.
  static let verticalShare = 1 / 1.96
  /// Above this a receiver says that it knows nothing.
  private static let largestError = 10_000.0

  /// The fix that gpsd reports, with every accuracy as a 68 % figure.
  ///
  /// gpsd hands on what the receiver estimates where the receiver does, and works it out from the satellites'
  /// geometry at 95 % where it does not (`gpsd_error_model` in its driver core); the report does not tell which. So:
  ///
  /// 1. The error ellipse of a GST at the same time, as on a line of our own.
  /// 2. From a u-blox in its binary protocol `eph`, `epv`, `eps`, `epd` are hAcc, vAcc, sAcc, headAcc, and stay as
  ///    they are.
  /// 3. From any other receiver `eph` and `epv` are divided by 1.62 (circle) and 1.96 (one axis). Its `eps` and
  ///    `epd` are differences of position errors and are left out.
  ///
  /// `isEstimatedByReceiver` tells that the second rule holds.
  func fix(deviation: GPSDDeviation?, sky: GPSDSky?, isEstimatedByReceiver: Bool) -> Fix {
    var fix = Fix()
    fix.timestamp = time
    fix.millisecondOfDay = time.map { Int32($0.millisecondOfDay) }
    fix.horizontalDilution = sky?.horizontalDilution.flatMap(Self.dilution)
    fix.verticalDilution = sky?.verticalDilution.flatMap(Self.dilution)
    fix.positionDilution = sky?.positionDilution.flatMap(Self.dilution)
    fix.satellitesUsed = sky?.satellitesUsed
    guard hasPosition, let kind else { return fix }
    fix.kind = kind
    fix.latitude = latitude
    fix.longitude = longitude
    // In two dimensions the altitude is held, and whatever follows from it says nothing.
    if mode >= 3 {
      fix.altitude = altitude
      fix.ellipsoidHeight = ellipsoidHeight
      fix.climb = climb
    }
    fix.speed = speed.flatMap { $0 >= 0 ? $0 : nil }
    fix.course = course.flatMap { (0...360).contains($0) ? $0.truncatingRemainder(dividingBy: 360) : nil }
    setAccuracy(of: &fix, deviation: deviation, isEstimatedByReceiver: isEstimatedByReceiver)
    if fix.altitude == nil { fix.verticalAccuracy = nil }
    return fix
  }

  /// Whether there is a place on Earth in it that gpsd vouches for.
  var hasPosition: Bool {
    guard let latitude, let longitude else { return false }
    return kind != nil && abs(latitude) <= 90 && abs(longitude) <= 180
  }

  /// Nil without a position that anybody vouches for; a simulated one is no place where anybody was.
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

  private func setAccuracy(of fix: inout Fix, deviation: GPSDDeviation?, isEstimatedByReceiver: Bool) {
    if isEstimatedByReceiver {
      fix.speedAccuracy = speedError.flatMap(Self.error)
      fix.courseAccuracy = courseError.flatMap { $0 > 0 && $0 <= 180 ? $0 : nil }
    }
    if let north = deviation?.latitude, let east = deviation?.longitude,
      let horizontal = Self.error((north * north + east * east).squareRoot())
    {
      fix.horizontalAccuracy = horizontal
      fix.verticalAccuracy = deviation?.altitude.flatMap(Self.error)
      fix.accuracySource = .errorEllipse
    } else if let horizontal = horizontalError.flatMap(Self.error) {
      let isOwn = isEstimatedByReceiver
      fix.horizontalAccuracy = isOwn ? horizontal : horizontal * Self.horizontalShare
      fix.verticalAccuracy = verticalError.flatMap(Self.error).map { isOwn ? $0 : $0 * Self.verticalShare }
      fix.accuracySource = isOwn ? .receiver : .gpsd
    }
  }

  /// Nil when it is none.
  private static func error(_ value: Double) -> Double? { value > 0 && value <= largestError ? value : nil }

  /// 99.99 and 0 stand for unknown.
  private static func dilution(_ value: Double) -> Double? { value > 0 && value < 99 ? value : nil }
}
