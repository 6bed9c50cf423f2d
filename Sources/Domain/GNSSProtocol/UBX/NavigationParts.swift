import Glibc
import Quantities

/// The solution of one iTOW in separate messages, as u-blox 5 and 6 send it and later generations can:
/// NAV-POSLLH, NAV-VELNED, NAV-SOL or NAV-STATUS, NAV-DOP.
///
/// It contributes only with a position and a status; NAV-SOL has both, with a position in centimetres.
struct NavigationParts: EpochSentence {
  static let kind = MessageKind.navPOSLLH
  static let supplies = NavigationSolution.supplies
  static var isBinary: Bool { true }

  private(set) var iTOW: UInt32?
  /// The key of its epoch; nil if the receiver knows no time.
  var time: EpochTime?
  var timestamp: Timestamp?
  private var position: NavPOSLLH?
  private var fix: GPSFix?
  private var velocity: NavVELNED?
  private(set) var dilutions: NavDOP?
  private var solution: NavSOL?
  private(set) var isTimeSet = false

  init() {}

  /// Discards everything if `iTOW` is another.
  mutating func begin(_ iTOW: UInt32) {
    guard iTOW != self.iTOW else { return }
    self = NavigationParts()
    self.iTOW = iTOW
  }

  mutating func take(_ message: NavPOSLLH) { position = message }
  mutating func take(_ message: NavVELNED) { velocity = message }
  mutating func take(_ message: NavDOP) { dilutions = message }

  mutating func take(_ message: NavSTATUS) {
    fix = message.fix
    isTimeSet = isTimeSet || message.isTimeSet
  }

  mutating func take(_ message: NavSOL) {
    fix = message.fix
    isTimeSet = isTimeSet || message.isTimeSet
    solution = message
  }

  /// True if there is a position and a status.
  var isUseful: Bool {
    guard let fix else { return false }
    // NAV-SOL is sufficient for a position, or for its absence.
    return position != nil || (solution != nil && (fix.kind == .none || hasPosition))
  }

  private var fixKind: FixKind { hasPosition ? fix?.kind ?? .none : .none }

  private var hasPosition: Bool {
    if let position { return position.position != nil }
    return solution?.ecef.geodetic != nil
  }

  var hasValidPosition: Bool { fixKind != .none }

  func contribute(to epoch: inout Epoch) {
    epoch.becomeBinary()
    let before = epoch.fix
    let kind = fixKind
    epoch.state(
      FixStatus(validity: kind == .none ? .invalid : .valid, kind: kind == .none ? nil : kind), rank: .binary)
    epoch.fix.timestamp = timestamp
    epoch.fix.satellitesUsed = solution?.numSV
    epoch.fix.positionDilution = dilutions?.pDOP ?? solution?.pDOP
    dilutions?.contribute(to: &epoch.fix)
    if kind != .none {
      if let position { place(position, in: &epoch.fix) } else { placeEarthCentred(in: &epoch.fix) }
    }
    if epoch.fix != before { epoch.hasChanged = true }
  }

  private func place(_ position: NavPOSLLH, in fix: inout Fix) {
    guard let place = position.position else { return }
    (fix.latitude, fix.longitude) = (place.latitude, place.longitude)
    fix.horizontalAccuracy = position.hAcc
    fix.accuracySource = Accuracy.source(position.hAcc)
    fix.speed = velocity?.gSpeed
    fix.course = velocity?.heading
    fix.speedAccuracy = velocity?.sAcc
    fix.courseAccuracy = velocity?.cAcc
    // With altitude hold, the altitude belongs to an earlier epoch.
    guard self.fix?.gpsFix != 2 else { return }
    (fix.altitude, fix.ellipsoidHeight) = (position.hMSL, position.height)
    fix.verticalAccuracy = position.vAcc
    fix.climb = velocity?.climb
  }

  /// Sets position and speed from NAV-SOL alone. Its errors are three-dimensional, so they are upper bounds
  /// of the horizontal errors.
  private func placeEarthCentred(in fix: inout Fix) {
    guard let solution, let (place, height) = solution.ecef.geodetic else { return }
    let (north, east, up) = solution.ecefV.local(at: place)
    let speed = (north * north + east * east).squareRoot()
    (fix.latitude, fix.longitude) = (place.latitude, place.longitude)
    fix.horizontalAccuracy = solution.pAcc
    fix.accuracySource = Accuracy.source(solution.pAcc)
    fix.speed = velocity?.gSpeed ?? speed
    fix.course =
      velocity?.heading
      ?? (speed >= Accuracy.slowest ? Velocity.course(atan2(east, north) * 180 / .pi) : nil)
    fix.speedAccuracy = velocity?.sAcc ?? solution.sAcc
    fix.courseAccuracy =
      velocity?.cAcc ?? Accuracy.course(speed: fix.speed, error: fix.speedAccuracy)
    guard self.fix?.gpsFix != 2 else { return }
    (fix.altitude, fix.ellipsoidHeight) = (nil, height)
    fix.verticalAccuracy = solution.pAcc.flatMap(Accuracy.metres)
    fix.climb = velocity?.climb ?? up
  }
}

/// A NAV-DOP that arrives after the NAV-PVT of its iTOW.
struct LateDilutions: EpochSentence {
  static let kind = MessageKind.navDOP
  static let supplies: Supplies = [.horizontalDilution]
  static var isBinary: Bool { true }

  let time: EpochTime?
  let dilutions: NavDOP

  func contribute(to epoch: inout Epoch) {
    guard epoch.isBinary else { return }
    let before = epoch.fix
    dilutions.contribute(to: &epoch.fix)
    if epoch.fix != before { epoch.hasChanged = true }
  }
}

extension NavDOP {
  func contribute(to fix: inout Fix) {
    fix.horizontalDilution = hDOP ?? fix.horizontalDilution ?? unboundedHDOP
    fix.verticalDilution = vDOP ?? fix.verticalDilution
    fix.positionDilution = pDOP ?? fix.positionDilution
  }
}
