import Formats
import Quantities
import Records

/// Carries batches into the hourly files of a directory. It writes nothing itself: flash may stall, so the pieces go to
/// whoever has a thread for that.
public final class FileTransport: BatchTransport {
  /// Adds to the files and answers nil, or why they could not be written; once, later.
  public typealias Write = ([TrackFile], _ done: @escaping (String?) -> Void) -> Void

  private let formats: [TrackFile.Format]
  private let directory: String
  private let isNewestOnly: Bool
  private let write: Write

  public init(
    directory: String, formats: [TrackFile.Format], isNewestOnly: Bool = false, write: @escaping Write
  ) {
    self.directory = directory
    self.formats = formats
    self.isNewestOnly = isNewestOnly
    self.write = write
  }

  public var cut: BatchCut { BatchCut(isNewestOnly: isNewestOnly) }

  public func rendered(_ records: [StoredRecord], endingAt through: RecordID) -> RenderedBatch {
    let places = records.map(\.record).filter { OverlandFeature($0) != nil }
    return RenderedBatch(count: places.count, bytes: [], records: places)
  }

  public func send(
    _ batch: OutgoingBatch, completion: @escaping (Verdict, _ answer: [UInt8]) -> Void
  ) {
    let directory = directory
    write(TrackFile.files(batch.batch.records, formats)) { trouble in
      guard let trouble else { return completion(.accepted, []) }
      let reason = "\(trouble); check the directory \(directory) and the room on its medium"
      completion(.refused(Refusal(.unreachable, reason: reason)), [])
    }
  }

  /// What is being written is written; its answer finds nobody.
  public func abandon() {}

  public func stop() {}
}
