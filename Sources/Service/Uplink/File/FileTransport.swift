import Formats
import Quantities
import Records

/// Writes batches to the hourly files of a directory.
///
/// Writing to flash may block. The transport therefore hands the files to `write`, which uses another thread.
public final class FileTransport: BatchTransport {
  /// Appends to files and calls `done` once, later: with nil, or with the reason of a failure.
  public typealias Write = ([TrackFile], _ done: @escaping (String?) -> Void) -> Void

  private let formats: [TrackFile.Format]
  private let directory: String
  public let isNewestOnly: Bool
  private let uniqueID: String?
  private let reconstructedTrips: Bool
  private let write: Write
  /// The state of the track after the last write. A new track starts with an interruption, as after a restart.
  private var course: TrackFile.Course

  /// Creates a transport for `directory`.
  ///
  /// `uniqueID`, if given, is added to every Feature. Reconstructed trips are written if `reconstructedTrips` is true.
  /// A gap longer than `longestPause` interrupts the track.
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

  public var events: EventSelection { .none }

  /// No batch is exempt, because an interrupted batch is written again in the current format.
  public var cut: BatchCut { BatchCut() }

  public func rendered(_ records: [StoredRecord], of range: BatchRange) -> RenderedBatch {
    let locations = records.map(\.record).filter {
      TrackFile.isWritten($0, reconstructedTrips: reconstructedTrips)
    }
    return RenderedBatch(count: locations.count, bytes: [], records: locations)
  }

  public func send(
    _ batch: OutgoingBatch, completion: @escaping (Verdict, _ answer: [UInt8]) -> Void
  ) {
    let directory = directory
    var next = course
    let files = TrackFile.files(
      batch.batch.records, formats, uniqueID: uniqueID, reconstructedTrips: reconstructedTrips, course: &next)
    write(files) { [weak self] fault in
      guard let fault else {
        self?.course = next
        return completion(.accepted, [])
      }
      let reason = "\(fault); check the directory \(directory) and its free space"
      completion(.refused(Refusal(.unreachable, reason: reason)), [])
    }
  }

  /// Does nothing. A running write completes, and ``Delivery`` ignores its result.
  public func abandon() {}

  public func stop() {}
}
