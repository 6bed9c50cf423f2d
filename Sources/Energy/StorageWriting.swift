/// How long a card or an eMMC draws its writing current, from what a program had flushed.
///
/// Cards differ by more than an order of magnitude; these are times of ordinary ones, and a board that knows better gives
/// a current that is right for them.
public enum StorageWriting {
  /// Of a flush and its first page.
  public static let flush = Duration.milliseconds(15)
  /// Of each page of 4 KiB beyond one a flush.
  public static let page = Duration.milliseconds(2)
  static let bytesInPage: Int64 = 4096

  /// `bytes` is nil where nobody counted them.
  public static func time(flushes: Int64, bytes: Int64?) -> Duration {
    let flushes = max(flushes, 0)
    let beyond = max((bytes ?? 0) / bytesInPage - flushes, 0)
    return flush * Double(flushes) + page * Double(beyond)
  }
}
