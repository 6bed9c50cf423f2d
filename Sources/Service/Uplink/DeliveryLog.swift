import Quantities
import Records

/// The records of a batch that a server has accepted.
public struct TakenRecords: Equatable, Sendable {
  public var count: Int
  /// The newest location among them; nil if there is none.
  public var newestLocation: RecordID?
  /// The horizontal accuracy of the newest location in millimetres; nil if it has none.
  public var newestAccuracyMillimetres: Int64?

  public init(count: Int, newestLocation: RecordID?, newestAccuracyMillimetres: Int64? = nil) {
    self.count = count
    self.newestLocation = newestLocation
    self.newestAccuracyMillimetres = newestAccuracyMillimetres
  }
}

/// The interface of the log for a ``Delivery``.
///
/// The log responds once to each of the first three requests, immediately or later on the loop's thread, by the methods
/// of ``Delivery`` that are named there. A requested write must be on disk before the response.
///
/// No requirement has a default implementation: a log without one of them would send a private location or lose a batch
/// boundary.
public protocol DeliveryLog: AnyObject {
  /// Loads a batch, at most to the next committed boundary. The response is ``Delivery/loaded(_:)``.
  func loadBatch(for delivery: Delivery, _ request: BatchRequest)
  /// Commits the boundary of a batch that was loaded without one. The response is ``Delivery/batchBoundaryCommitted(through:)``.
  func commitBatchBoundary(for delivery: Delivery, at position: BatchPosition)
  /// Moves the cursor to `position`, and confirms with ``Delivery/acknowledged(through:)``; then loads `next`.
  ///
  /// `taken` describes the records that the server accepted; nil if all were skipped, superseded or set aside.
  func acknowledge(
    for delivery: Delivery, at position: BatchPosition, taken: TakenRecords?, next: BatchRequest?)
  /// Returns the rendered object of the running trip; nil if there is none.
  func runningTrip(for delivery: Delivery) -> [UInt8]?
  /// Returns the rendered report of the device's health if one is due; nil otherwise. It counts as sent when the response
  /// confirms the batch.
  func report(for delivery: Delivery) -> [UInt8]?
  /// Returns the newest stored fix, for `current`; nil before the first.
  func newestFix(for delivery: Delivery) -> LogRecord?
  /// Returns the part of a record that may be sent under the present privacy rules; nil if it must not be sent.
  ///
  /// Privacy takes precedence over an unchanged batch: a retry omits a record that has become private.
  func disclosed(_ record: LogRecord, for delivery: Delivery) -> LogRecord?
  /// Handles a report about the start or end of failures, or about a record that was set aside.
  func delivery(_ delivery: Delivery, reports report: DeliveryReport)
  /// Handles the body of a response that confirmed a batch, which may contain remote settings. Called after the request
  /// to acknowledge the batch.
  func delivery(_ delivery: Delivery, wasAnswered body: [UInt8])
}

extension StoredRecord {
  var isLocation: Bool { record.isLocation }
}

extension [StoredRecord] {
  /// The records with the newest of their locations only, or without any.
  func withNewestLocation(_ hasNewest: Bool) -> [StoredRecord] {
    let newest = hasNewest ? last(where: \.isLocation)?.id : nil
    return filter { !$0.isLocation || $0.id == newest }
  }
}
