/// The wear of an eMMC, as JESD84-B51 defines it. SD cards report none.
public struct MediumWear: Equatable, Sendable {
  /// The larger life-time estimate, in steps of 10 % used: 1 is up to 10 %, 11 more than 100 %, 0 unknown.
  public var lifeTime: UInt8
  /// State of the reserve: 1 normal, 2 warning (80 % used), 3 urgent (90 % used), 0 unknown.
  public var endOfLife: UInt8

  public init(lifeTime: UInt8, endOfLife: UInt8) { (self.lifeTime, self.endOfLife) = (lifeTime, endOfLife) }

  /// Reads the files `life_time`, as in `0x02 0x09`, and `pre_eol_info`, as in `0x01`, of the kernel's mmc driver.
  ///
  /// Returns nil if `life_time` has no number.
  public init?(lifeTime: String, endOfLife: String?) {
    let estimates = lifeTime.split { $0 == " " || $0 == "\n" }.compactMap(Self.byte)
    guard let largest = estimates.max() else { return nil }
    self.init(
      lifeTime: largest,
      endOfLife: endOfLife.flatMap { $0.split { $0 == " " || $0 == "\n" }.first }.flatMap(Self.byte) ?? 0)
  }

  /// The share of its life that is certainly used, in percent; nil if the medium does not tell.
  public var usedPercent: Int? {
    let byReserve = [2: 80, 3: 90][endOfLife]
    let byTime = lifeTime > 0 ? min(Int(lifeTime) - 1, 10) * 10 : nil
    return [byReserve, byTime].compactMap { $0 }.max()
  }

  private static func byte(_ text: Substring) -> UInt8? {
    UInt8(text.hasPrefix("0x") ? text.dropFirst(2) : text, radix: 16)
  }
}

/// What a storage medium and its file system report about writes.
public struct MediumReport: Equatable, Sendable {
  /// The disk's name, as in `mmcblk0`; nil if it is unknown.
  public var disk: String?
  /// The wear; nil if the medium does not report it.
  public var wear: MediumWear?
  /// Bytes written to the file system in its life, by all programs; nil if it does not count them.
  public var lifetimeBytes: Int64?

  public init(disk: String? = nil, wear: MediumWear? = nil, lifetimeBytes: Int64? = nil) {
    (self.disk, self.wear, self.lifetimeBytes) = (disk, wear, lifetimeBytes)
  }
}
