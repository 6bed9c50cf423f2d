/// The origin of an accuracy figure.
public enum AccuracySource: UInt8, Sendable, CaseIterable {
  /// No accuracy is known.
  case none
  /// HDOP multiplied by an assumed range error.
  case dilution
  /// The receiver's error estimates per axis (GST, otherwise GBS).
  case errorEllipse
  /// The receiver's own estimate (NAV-PVT hAcc and similar).
  case receiver
  /// gpsd's estimate from the satellite geometry, converted from 95 % to 68 %.
  case gpsd
  /// No receiver is involved: the position of a Wi-Fi zone replaces the fix.
  case wifiZone

  public var word: StaticString {
    switch self {
    case .none: "none"
    case .dilution: "dilution"
    case .errorEllipse: "error ellipse"
    case .receiver: "receiver"
    case .gpsd: "gpsd"
    case .wifiZone: "wifi zone"
    }
  }
}
