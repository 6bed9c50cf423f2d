import System

/// The bytes that the writer thread has written to storage since its start.
public struct StoreWriting: Equatable, Sendable {
  /// All writes of the thread, as the kernel counts them; nil if it does not.
  public var total: Int64?
  /// The files of destinations.
  public var files: Int64

  public init(total: Int64?, files: Int64) { (self.total, self.files) = (total, files) }

  /// The present counts of the calling thread.
  static func now(files: Int64) -> StoreWriting {
    StoreWriting(total: ProcessCost.bytesWrittenByThread(), files: files)
  }
}
