/// What an accuracy figure was made from.
public enum AccuracySource: UInt8, Sendable, CaseIterable {
  /// No figure.
  case none
  /// Dilution of precision times an assumed range error.
  case dilution
  /// The receiver's errors of each axis (GST, else GBS).
  case errorEllipse
  /// The receiver's own estimate (NAV-PVT hAcc and its like).
  case receiver
  /// gpsd's estimate from the satellites' geometry, brought from 95 % to 68 %.
  case gpsd
  /// No receiver's: the place of a wifi zone stands instead of the fix.
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
