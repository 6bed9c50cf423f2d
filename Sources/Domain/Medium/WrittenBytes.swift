/// Bytes written to storage by the logger, by cause. Additions saturate.
public struct WrittenBytes: Equatable, Sendable {
  /// The log with its write-ahead log.
  public var log: Int64
  /// The files of destinations of kind `file`.
  public var files: Int64
  /// Everything else, such as settings.
  public var other: Int64

  public init(log: Int64 = 0, files: Int64 = 0, other: Int64 = 0) {
    (self.log, self.files, self.other) = (log, files, other)
  }

  /// The sum of all causes.
  public var total: Int64 { [log, files, other].reduce(0, Self.sum) }

  public static func + (a: WrittenBytes, b: WrittenBytes) -> WrittenBytes {
    WrittenBytes(
      log: sum(a.log, b.log), files: sum(a.files, b.files), other: sum(a.other, b.other))
  }

  /// Returns the bytes since an earlier count. A cause whose count has begun anew counts from zero.
  public func since(_ earlier: WrittenBytes) -> WrittenBytes {
    func grown(_ path: KeyPath<WrittenBytes, Int64>) -> Int64 {
      let (now, before) = (max(self[keyPath: path], 0), max(earlier[keyPath: path], 0))
      return now >= before ? now - before : now
    }
    return WrittenBytes(log: grown(\.log), files: grown(\.files), other: grown(\.other))
  }

  static func sum(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, isTooLarge) = a.addingReportingOverflow(b)
    return isTooLarge ? .max : sum
  }
}
