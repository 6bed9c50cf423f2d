import Quantities

/// The solution of one iTOW in pieces, as u-blox 5 and 6 send it and later ones can: NAV-POSLLH, NAV-VELNED,
/// NAV-SOL or NAV-STATUS, NAV-DOP.
///
/// Only with a position and somebody who judges it does it say anything.
struct NavigationParts: EpochSentence {
  static let kind = MessageKind.navPOSLLH
  static let supplies = NavigationSolution.supplies
  static var isBinary: Bool { true }

  private(set) var iTOW: UInt32?
  /// The key of its epoch; nil while the receiver knows no time.
  var time: EpochTime?
  var timestamp: Timestamp?
  private var position: NavPOSLLH?
  private var fix: GPSFix?
  private var velocity: NavVELNED?
  private(set) var dilutions: NavDOP?
  private var satellites: UInt8?
  private var positionDilution: Double?
  private(set) var isTimeSet = false

  init() {}

  /// Forgets everything when `iTOW` is another.
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
    satellites = message.numSV
    positionDilution = message.pDOP
  }

  /// There is a position and a judgement of it.
  var isUseful: Bool { position != nil && fix != nil }

  private var fixKind: FixKind { position?.position == nil ? .none : fix?.kind ?? .none }

  var vouchesForPosition: Bool { fixKind != .none }

  func contribute(to epoch: inout Epoch) {
    epoch.becomeBinary()
    let before = epoch.fix
    let kind = fixKind
    epoch.state(
      Claim(verdict: kind == .none ? .denies : .vouches, kind: kind == .none ? nil : kind), rank: .binary)
    epoch.fix.timestamp = timestamp
    epoch.fix.satellitesUsed = satellites
    epoch.fix.positionDilution = dilutions?.pDOP ?? positionDilution
    dilutions?.contribute(to: &epoch.fix)
    if kind != .none { place(in: &epoch.fix) }
    if epoch.fix != before { epoch.hasChanged = true }
  }

  private func place(in fix: inout Fix) {
    guard let position, let place = position.position else { return }
    (fix.latitude, fix.longitude) = (place.latitude, place.longitude)
    fix.horizontalAccuracy = position.hAcc
    fix.accuracySource = position.hAcc == nil ? .none : .receiver
    fix.speed = velocity?.gSpeed
    fix.course = velocity?.heading
    fix.speedAccuracy = velocity?.sAcc
    fix.courseAccuracy = velocity?.cAcc
    // With the altitude held it is the one of an earlier epoch.
    guard self.fix?.gpsFix != 2 else { return }
    (fix.altitude, fix.ellipsoidHeight) = (position.hMSL, position.height)
    fix.verticalAccuracy = position.vAcc
    fix.climb = velocity?.climb
  }
}

/// NAV-DOP that comes after NAV-PVT of its iTOW.
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
    fix.horizontalDilution = hDOP ?? fix.horizontalDilution
    fix.verticalDilution = vDOP ?? fix.verticalDilution
    fix.positionDilution = pDOP ?? fix.positionDilution
  }
}
