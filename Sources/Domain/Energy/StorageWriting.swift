/// Estimates the time for which an SD card or eMMC draws its write current.
///
/// Cards differ by more than an order of magnitude. These times are typical; a board file with measured values scales
/// its current accordingly.
public enum StorageWriting {
  /// The time of a flush with its first page.
  public static let flush = Duration.milliseconds(15)
  /// The time of every further page of 4 KiB.
  public static let page = Duration.milliseconds(2)
  static let bytesInPage: Int64 = 4096

  /// Returns the write time. `bytes` is nil if unknown.
  public static func time(flushes: Int64, bytes: Int64?) -> Duration {
    let flushes = max(flushes, 0)
    let beyond = max((bytes ?? 0) / bytesInPage - flushes, 0)
    return flush * Double(flushes) + page * Double(beyond)
  }
}
