/// Properties that differ within ST's LIS family.
public protocol LISPart {
  static var name: String { get }
  static var witness: String? { get }
}

/// ST LIS3DH, data sheet DocID17530.
public enum LIS3DHPart: LISPart {
  public static let name = "lis3dh"
  public static let witness: String? =
    "a register model of the LIS3DH; its data sheet, DocID17530; ST's self-test example"
}

/// ST LIS2DH12, data sheet DocID025056. Its `WHO_AM_I` equals that of the LIS3DH, so the two cannot be
/// distinguished.
public enum LIS2DH12Part: LISPart {
  public static let name = "lis2dh12"
  public static let witness: String? = "ST's lis2dh12_reg.c"
}

public typealias LIS3DH = LISAccelerometer<LIS3DHPart>
public typealias LIS2DH12 = LISAccelerometer<LIS2DH12Part>
