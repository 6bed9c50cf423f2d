/// Properties that differ within the LSM6DSO family: for the accelerometer, only the name.
///
/// The LSM6DSO32 has the same identity but twice the ranges and is not supported: its accelerations would be
/// halved.
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

/// ST LSM6DSOX, data sheet DS12814. Its `WHO_AM_I` equals that of the LSM6DSO, so the two cannot be
/// distinguished.
public enum LSM6DSOXPart: LSM6Part {
  public static let name = "lsm6dsox"
  public static let witness: String? = LSM6DSOPart.witness
}

public typealias LSM6DSO = LSM6Accelerometer<LSM6DSOPart>
public typealias LSM6DSOX = LSM6Accelerometer<LSM6DSOXPart>
