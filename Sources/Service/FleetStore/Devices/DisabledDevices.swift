import FleetRecords
import PostgreSQL

/// Reads which devices are disabled, so that what was remembered of them is forgotten.
final class DisabledDevices {
  private let connection: PostgresConnection
  private let forget: (Set<DeviceNumber>) -> Void
  /// False while they are read again.
  private(set) var isFresh = false

  init(_ connection: PostgresConnection, forget: @escaping (Set<DeviceNumber>) -> Void) {
    (self.connection, self.forget) = (connection, forget)
  }

  /// Reads the devices again.
  func refresh() {
    isFresh = false
    let command = PostgresCommand("SELECT id FROM outrider.device WHERE NOT is_enabled")
    connection.perform(.statement(command)) { [weak self] result in
      guard let self, case .success(let results) = result, let rows = results.first else { return }
      let numbers = (0..<rows.rowCount).compactMap { rows.integer($0, 0) }
      forget(Set(numbers.map { DeviceNumber(Int32(clamping: $0)) }))
      isFresh = true
    }
  }
}
