import Quantities

/// CASIC NAV-PV (class 01, id 03), 80 bytes: position and velocity of AT6558 and AT6668.
///
/// The message holds variances; the properties here are their square roots. It has no UTC; NAV-TIMEUTC with
/// the same run time has. Source: CASIC Multimode Satellite Navigation Receiver Protocol Specification.
struct CASICNavPV: Equatable {
  /// Milliseconds since the start of the receiver.
  let runTime: UInt32
  /// `posValid`: 0 none, 1 set externally, 2 rough estimate, 3 held, 4 extrapolated, 5 fast mode, 6
  /// two-dimensional, 7 three-dimensional, 8 satellites and dead reckoning.
  let posValid: UInt8
  /// `velValid`, with the same values.
  let velValid: UInt8
  let numSV: UInt8
  let pDOP: Double?
  let position: Position?
  /// Height in metres above the ellipsoid.
  let height: Double?
  /// Height of mean sea level in metres above the ellipsoid.
  let separation: Double?
  /// Horizontal accuracy in metres; infinite without an estimate, nil if unknown.
  let hAcc: Double?
  let vAcc: Double?
  /// Vertical speed in m/s, up positive.
  let climb: Double?
  /// Speed over ground in m/s.
  let speed: Double?
  /// Course in degrees, 0..<360.
  let heading: Double?
  /// Speed accuracy in m/s; nil if unknown.
  let sAcc: Double?
  /// Course accuracy in degrees. If the receiver did not compute it, it is derived from the speed error; nil if
  /// unknown.
  let cAcc: Double?

  /// Decodes the payload; nil for a wrong length.
  init?(payload: UnsafeRawBufferPointer) {
    guard payload.count == 80 else { return nil }
    let fields = LittleEndian(bytes: payload)
    runTime = fields.u4(0)
    posValid = fields.u1(4)
    velValid = fields.u1(5)
    numSV = fields.u1(7)
    pDOP = fields.r4(12).flatMap { $0 > 0 && $0 < 99 ? $0 : nil }
    position = Self.position(latitude: fields.r8(24), longitude: fields.r8(16))
    height = fields.r4(32)
    separation = fields.r4(36)
    hAcc = Self.root(fields.r4(40)).flatMap(Accuracy.horizontal)
    vAcc = Self.root(fields.r4(44)).flatMap(Accuracy.metres)
    climb = fields.r4(56)
    speed = fields.r4(64).flatMap { $0 >= 0 ? $0 : nil }
    heading = fields.r4(68).flatMap(Velocity.course)
    sAcc = Self.root(fields.r4(72)).flatMap(Accuracy.metres)
    cAcc =
      fields.r4(76) == 0
      ? Accuracy.course(speed: speed, error: sAcc) : Self.root(fields.r4(76)).flatMap { $0 < 180 ? $0 : nil }
  }

  /// The kind of fix; `.none` unless the position is based on current satellite signals.
  var kind: FixKind {
    guard position != nil else { return .none }
    switch posValid {
    case 6: return .twoDimensional
    case 5, 7: return .threeDimensional
    case 8: return .deadReckoning
    case _: return .none
    }
  }

  /// True if the velocity is current.
  var isVelocityValid: Bool { velValid >= 5 && velValid <= 8 }

  private static func position(latitude: Double?, longitude: Double?) -> Position? {
    guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    return Position(latitude: latitude, longitude: longitude)
  }

  /// The square root of a variance; 0 means not computed.
  private static func root(_ variance: Double?) -> Double? {
    guard let variance, variance > 0 else { return nil }
    return variance.squareRoot()
  }
}
