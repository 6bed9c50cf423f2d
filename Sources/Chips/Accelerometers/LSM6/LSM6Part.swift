/// What tells one part of the LSM6DSO family from another: as far as the accelerometer goes, its name.
///
/// The LSM6DSO32, with twice the ranges, answers alike too and is not one of them: it would show half of what happens.
public protocol LSM6Part {
  static var name: String { get }
  static var witness: String? { get }
}

/// ST LSM6DSO, data sheet DS12140.
public enum LSM6DSOPart: LSM6Part {
  public static let name = "lsm6dso"
  public static let witness: String? =
    "ST's lsm6dso_reg.h, wake-up, activity and self-test examples; the kernel's st_lsm6dsx_buffer.c"
}

/// ST LSM6DSOX, data sheet DS12814. It answers `WHO_AM_I` like the LSM6DSO and cannot be told from it.
public enum LSM6DSOXPart: LSM6Part {
  public static let name = "lsm6dsox"
  public static let witness: String? = LSM6DSOPart.witness
}

public typealias LSM6DSO = LSM6Accelerometer<LSM6DSOPart>
public typealias LSM6DSOX = LSM6Accelerometer<LSM6DSOXPart>
