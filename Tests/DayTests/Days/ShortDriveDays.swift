import Database
import DaySupport
import Quantities
import Records
import Scheduling
import Testing
import Store

/// Short drives of a device without a motion sensor, with a real log and a server.
@Suite struct ShortDriveDays {
  @Test func twoShortDrivesAreInTheLogAndItsViewAndBlockNoServer() throws {
    let server = DayServer("home")
    let log = try LoggedDay(to: [server])
    var policy = TrackingPolicy.high
    policy.checkIntervalWithoutSensor = .seconds(600)
    let day = TrackedDay(TrackedDay.settings(policy), fitting: .init(hasAccelerometer: false))
    day.add(log)
    day.stop(.seconds(1800))
    day.drive(1400, at: 7)
    day.stop(.seconds(1800))
    day.drive(1100, at: 5.5, course: 0)
    day.stop(.seconds(1800))
    let reader = try Connection(path: log.card.database, access: .readOnly)
    let rows = try reader.rows(
      "SELECT reconstructed, distance_m, end_time > start_time, start_latitude, end_latitude FROM trip ORDER BY id"
    )
    #expect(rows.map { $0[0] } == [.integer(1), .integer(1)])
    for (row, metres) in zip(rows, [1400.0, 1100.0]) {
      guard case .real(let distance) = row[1] else { return #expect(Bool(false), "\(row)") }
      #expect(abs(distance - metres) < 0.03 * metres)
      #expect(row[2] == .integer(1) && row[3] != .null && row[4] != .null)
    }
    #expect(try log.stored().isSound)
    // The destination accepts none, and its queue is empty.
    #expect(try log.waiting(for: "home") == 0)
    #expect(!server.order.isEmpty && !server.order.contains { $0.contains(#""type":"trip""#) })
  }
}
