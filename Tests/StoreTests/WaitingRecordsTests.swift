import Records
import Testing

import Store

@Suite struct WaitingRecordsTests {
  private func visit(_ second: Int) throws -> LogRecord {
    guard case .location(let location) = fix(second).body else { throw NoLocation() }
    var record = fix(second)
    record.body = .visit(
      VisitRecord(coordinate: location.coordinate, arrival: nil, device: DeviceState(deviceID: "van")))
    return record
  }

  private struct NoLocation: Error {}

  private func event(_ second: Int) -> LogRecord {
    var record = fix(second)
    record.body = .event(EventRecord(.heartbeat))
    return record
  }

  @Test func locationsAreDroppedFirstAndCounted() throws {
    var waiting = WaitingRecords(limit: 10)
    waiting.add(try (0..<5).map(visit) + (5..<12).map { fix($0) })
    #expect(waiting.dropped == 3 && waiting.records.count == 9)
    #expect(waiting.records.prefix(5).allSatisfy { if case .visit = $0.body { true } else { false } })
  }

  @Test func everyDroppedRecordThatWouldBeSentIsCounted() throws {
    var waiting = WaitingRecords(limit: 10)
    waiting.add(try (0..<4).map(event) + (4..<14).map(visit))
    #expect(waiting.records.count == 10 && waiting.dropped == 0, "events are not sent")
    waiting.add(try visit(14))
    #expect(waiting.records.count == 10 && waiting.dropped == 1)
  }
}
