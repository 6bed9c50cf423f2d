import GNSSProtocol
import Quantities
import Testing
@testable import Devices

/// Conversion of position reports to fixes.
@Suite struct GPSDFixTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var promise: String
    var change: @Sendable (inout GPSDPosition) -> Void
    var expected: @Sendable (inout Fix) -> Void
    var testDescription: String { promise }
  }

  /// A complete report, and its fix.
  static var position: GPSDPosition {
    var position = GPSDPosition()
    (position.mode, position.time) = (3, Timestamp(milliseconds: 86_400_250))
    (position.latitude, position.longitude) = (52.5, -13.25)
    (position.altitude, position.ellipsoidHeight) = (38, 77.5)
    (position.speed, position.course, position.climb) = (1.5, 90, 0.25)
    return position
  }

  static var fix: Fix {
    var fix = Fix()
    (fix.timestamp, fix.millisecondOfDay) = (Timestamp(milliseconds: 86_400_250), 250)
    (fix.kind, fix.latitude, fix.longitude) = (.threeDimensional, 52.5, -13.25)
    (fix.altitude, fix.ellipsoidHeight) = (38, 77.5)
    (fix.speed, fix.course, fix.climb) = (1.5, 90, 0.25)
    return fix
  }

  private static func withoutPosition(_ fix: inout Fix) {
    let time = fix.timestamp
    fix = Fix()
    (fix.timestamp, fix.millisecondOfDay) = (time, 250)
  }

  static let cases = [
    Case(promise: "a whole report", change: { _ in }, expected: { _ in }),
    Case(promise: "no fix has no position", change: { $0.mode = 1 }, expected: { withoutPosition(&$0) }),
    Case(
      promise: "a simulated position is rejected", change: { $0.status = 8 },
      expected: { withoutPosition(&$0) }),
    Case(
      promise: "an incomplete position is rejected", change: { $0.longitude = nil },
      expected: { withoutPosition(&$0) }),
    Case(
      promise: "an impossible latitude is rejected", change: { $0.latitude = 90.001 },
      expected: { withoutPosition(&$0) }),
    Case(
      promise: "in two dimensions the altitude is ignored", change: { $0.mode = 2 },
      expected: { ($0.kind, $0.altitude, $0.ellipsoidHeight, $0.climb) = (.twoDimensional, nil, nil, nil) }),
    Case(promise: "differential", change: { $0.status = 2 }, expected: { $0.kind = .differential }),
    Case(promise: "RTK fixed", change: { $0.status = 3 }, expected: { $0.kind = .realTimeKinematicFixed }),
    Case(promise: "RTK float", change: { $0.status = 4 }, expected: { $0.kind = .realTimeKinematicFloat }),
    Case(promise: "dead reckoning", change: { $0.status = 5 }, expected: { $0.kind = .deadReckoning }),
    Case(promise: "with satellites", change: { $0.status = 6 }, expected: { $0.kind = .deadReckoning }),
    Case(promise: "an unknown status is accepted", change: { $0.status = 77 }, expected: { _ in }),
    Case(promise: "north is 0", change: { $0.course = 360 }, expected: { $0.course = 0 }),
    Case(
      promise: "a course above 360 is rejected", change: { $0.course = 361 }, expected: { $0.course = nil }),
    Case(promise: "a negative speed is rejected", change: { $0.speed = -1 }, expected: { $0.speed = nil }),
    Case(
      promise: "before 3.20: alt is the altitude above mean sea level",
      change: { ($0.altitude, $0.ellipsoidHeight, $0.undefinedAltitude) = (nil, nil, 412.5) },
      expected: { ($0.altitude, $0.ellipsoidHeight) = (412.5, nil) }),
    Case(
      promise: "altMSL has priority over alt", change: { $0.undefinedAltitude = 412.5 }, expected: { _ in }),
    Case(
      promise: "alt beside altHAE is not defined",
      change: { ($0.altitude, $0.undefinedAltitude) = (nil, 77.5) }, expected: { $0.altitude = nil }),
    Case(
      promise: "in two dimensions alt is ignored",
      change: { ($0.mode, $0.altitude, $0.ellipsoidHeight, $0.undefinedAltitude) = (2, nil, nil, 412.5) },
      expected: { ($0.kind, $0.altitude, $0.ellipsoidHeight, $0.climb) = (.twoDimensional, nil, nil, nil) }),
    Case(
      promise: "without a time", change: { $0.time = nil },
      expected: { ($0.timestamp, $0.millisecondOfDay) = (nil, nil) }),
  ]

  @Test(arguments: cases)
  func aReportIsConvertedToAFix(_ test: Case) {
    var position = Self.position
    test.change(&position)
    var expected = Self.fix
    test.expected(&expected)
    #expect(position.fix(deviation: nil, satellites: nil, isEstimatedByReceiver: false) == expected)
  }

  struct Accuracy: Sendable, CustomTestStringConvertible {
    var promise: String
    var isOwn = false
    var ellipse: GPSDDeviation?
    var errors: (h: Double?, v: Double?, s: Double?, d: Double?) = (9.8, 19.6, 0.5, 3)
    var axes: (x: Double?, y: Double?) = (nil, nil)
    var isFlat = false
    var horizontal: Double?
    var vertical: Double?
    var speed: Double?
    var course: Double?
    var source: AccuracySource
    var testDescription: String { promise }
  }

  static let accuracies = [
    Accuracy(
      promise: "gpsd's 95 % become 68 %", horizontal: 9.8 * 1.51 / 2.45, vertical: 10, source: .gpsd),
    Accuracy(
      promise: "the figures of a u-blox are used unchanged", isOwn: true, horizontal: 9.8, vertical: 19.6,
      speed: 0.5, course: 3,
      source: .receiver),
    Accuracy(
      promise: "the error ellipse has priority",
      ellipse: GPSDDeviation(latitude: 3, longitude: 4, altitude: 6), horizontal: 5, vertical: 6,
      source: .errorEllipse),
    Accuracy(
      promise: "an ellipse without a fix is ignored",
      ellipse: GPSDDeviation(latitude: 3_750_883, longitude: 3_750_883), horizontal: 9.8 * 1.51 / 2.45,
      vertical: 10, source: .gpsd),
    Accuracy(
      promise: "before 3.20: 95 % along the axes become 68 % of the circle", errors: (nil, 23, 24, nil),
      axes: (12, 16), horizontal: 20 * 1.51 / 2.45, vertical: 23 / 1.96, source: .gpsd),
    Accuracy(
      promise: "before 3.20: the figures of a u-blox are used unchanged", isOwn: true,
      errors: (nil, 6, 0.4, nil), axes: (3, 4), horizontal: 5, vertical: 6, speed: 0.4, source: .receiver),
    Accuracy(
      promise: "eph has priority over epx and epy", axes: (12, 16), horizontal: 9.8 * 1.51 / 2.45,
      vertical: 10,
      source: .gpsd),
    Accuracy(promise: "one axis is not enough", errors: (nil, 5, nil, nil), axes: (12, nil), source: .none),
    Accuracy(promise: "an axis of 0 is not known", errors: (nil, 5, nil, nil), axes: (0, 16), source: .none),
    Accuracy(
      promise: "an impossible circle is rejected", errors: (nil, 5, nil, nil), axes: (900_000, 900_000),
      source: .none),
    Accuracy(promise: "nothing said, nothing known", errors: (nil, 5, nil, nil), source: .none),
    Accuracy(
      promise: "impossible figures are rejected", isOwn: true, errors: (4_294_967, 0, -1, 181), source: .none),
    Accuracy(
      promise: "without an altitude there is no vertical accuracy", isFlat: true,
      horizontal: 9.8 * 1.51 / 2.45, source: .gpsd),
  ]

  @Test(arguments: accuracies)
  func accuraciesAre68Percent(_ test: Accuracy) {
    var position = Self.position
    (position.horizontalError, position.verticalError) = (test.errors.h, test.errors.v)
    (position.speedError, position.courseError) = (test.errors.s, test.errors.d)
    (position.longitudeError, position.latitudeError) = test.axes
    if test.isFlat { position.mode = 2 }
    let fix = position.fix(deviation: test.ellipse, satellites: nil, isEstimatedByReceiver: test.isOwn)
    func isSame(_ a: Double?, _ b: Double?) -> Bool {
      guard let a, let b else { return a == nil && b == nil }
      return abs(a - b) < 1e-9
    }
    #expect(isSame(fix.horizontalAccuracy, test.horizontal))
    #expect(isSame(fix.verticalAccuracy, test.vertical))
    #expect(isSame(fix.speedAccuracy, test.speed))
    #expect(isSame(fix.courseAccuracy, test.course))
    #expect(fix.accuracySource == test.source)
  }

  @Test func unknownDOPValuesAreNil() {
    let satellites = GPSDSatellites(horizontalDilution: 99.99, verticalDilution: 0, positionDilution: 1.4)
    let fix = Self.position.fix(deviation: nil, satellites: satellites, isEstimatedByReceiver: false)
    #expect(fix.horizontalDilution == nil)
    #expect(fix.verticalDilution == nil)
    #expect(fix.positionDilution == 1.4)
  }
}
