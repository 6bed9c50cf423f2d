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
  private let uniqueID: String?
  private let reconstructedTrips: Bool
  private let write: Write
  /// Where the track stands after what was written; a new one is interrupted first of all, as after a restart.
  private var course: TrackFile.Course

  /// `uniqueID` stands in each Feature where it is given; trips that are known by their ends alone are written where
  /// `reconstructedTrips` is true. A longer time than `longestPause` without a location interrupts
  /// the track.
  public init(
    directory: String, formats: [TrackFile.Format], isNewestOnly: Bool = false, uniqueID: String? = nil,
    reconstructedTrips: Bool = false, longestPause: Duration = .seconds(300), write: @escaping Write
  ) {
    self.reconstructedTrips = reconstructedTrips
    self.uniqueID = uniqueID
    course = TrackFile.Course(longestPause: longestPause)
    self.directory = directory
    self.formats = formats
    self.isNewestOnly = isNewestOnly
    self.write = write
  }

  public var cut: BatchCut { BatchCut(isNewestOnly: isNewestOnly) }

  /// Nothing leaves the machine: a batch that was interrupted is written in the present form.
  public func holds(_ through: RecordID) -> Bool { false }

  public func rendered(_ records: [StoredRecord], endingAt through: RecordID) -> RenderedBatch {
    let places = records.map(\.record).filter {
      TrackFile.isWritten($0, reconstructedTrips: reconstructedTrips)
    }
    return RenderedBatch(count: places.count, bytes: [], records: places)
  }

  public func send(
    _ batch: OutgoingBatch, completion: @escaping (Verdict, _ answer: [UInt8]) -> Void
  ) {
    let directory = directory
    var next = course
    let files = TrackFile.files(
      batch.batch.records, formats, uniqueID: uniqueID, reconstructedTrips: reconstructedTrips, course: &next)
    write(files) { [weak self] trouble in
      guard let trouble else {
        self?.course = next
        return completion(.accepted, [])
      }
      let reason = "\(trouble); check the directory \(directory) and its free space"
      completion(.refused(Refusal(.unreachable, reason: reason)), [])
    }
  }

  /// What is being written is written; its answer finds nobody.
  public func abandon() {}

  public func stop() {}
}
