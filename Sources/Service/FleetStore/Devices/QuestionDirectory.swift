import FleetRecords
import PostgreSQL

/// The open questions to devices, one for each device at most.
///
/// A question is added to every answer to its device until the device has answered. A device does a question once, whatever
/// is repeated.
final class QuestionDirectory {
  private struct Entry {
    let question: Question
    var isSent: Bool
  }

  private let connection: PostgresConnection
  private var open: [DeviceNumber: Entry] = [:]
  /// False while they are read again.
  private(set) var isFresh = false

  init(_ connection: PostgresConnection) { self.connection = connection }

  /// Reads the questions again.
  func refresh() {
    isFresh = false
    let command = PostgresCommand(
      "SELECT device, id, what, sent IS NOT NULL FROM outrider.question WHERE answered IS NULL")
    connection.perform(.statement(command)) { [weak self] result in
      guard case .success(let results) = result, let rows = results.first else { return }
      var open: [DeviceNumber: Entry] = [:]
      for row in 0..<rows.rowCount {
        guard let device = rows.integer(row, 0), let id = rows.integer(row, 1), let what = rows.text(row, 2)
        else { continue }
        open[DeviceNumber(Int32(clamping: device))] = Entry(
          question: Question(id: id, what: what), isSent: rows.bool(row, 3) ?? false)
      }
      self?.open = open
      self?.isFresh = true
    }
  }

  /// The question for the answer to a device, after a request with this report; nil if there is none. It is noted as sent.
  func question(for device: DeviceNumber, after report: DeviceReport?) -> Question? {
    guard let entry = open[device] else { return nil }
    if report?.answer?.question == entry.question.id {
      open[device] = nil
      return nil
    }
    if !entry.isSent {
      open[device]?.isSent = true
      let command = PostgresCommand(
        "UPDATE outrider.question SET sent = now() WHERE id = $1::int8 AND sent IS NULL",
        [.int8(entry.question.id)])
      connection.perform(.statement(command)) { _ in }
    }
    return entry.question
  }
}
