import Quantities
import Records
import Testing

@testable import Daemon

@Suite struct CommitGroupingTests {
  static func moment(_ milliseconds: Int64) -> Moment { .zero + .milliseconds(milliseconds) }

  @Test(
    "a group is due early enough to be durable when the interval of its oldest record ends",
    arguments: [(0, 0), (200, 150), (1000, 750), (10_000, 9000), (600_000, 599_000)])
  func due(interval: Int64, due: Int64) {
    var grouping = CommitGrouping(interval: .milliseconds(interval))
    #expect(grouping.nextTimeout == nil)
    grouping.add(location(1), atOnce: false, now: Self.moment(0))
    grouping.add(location(2), atOnce: false, now: Self.moment(interval / 2))
    #expect(grouping.nextTimeout == Self.moment(due))
    #expect(grouping.slack == .milliseconds(interval / 2))
    #expect(grouping.take().records.count == 2)
    #expect(grouping.nextTimeout == nil)
  }

  @Test func anUrgentRecordMakesTheWholeGroupDue() {
    var grouping = CommitGrouping(interval: .seconds(10))
    grouping.add(location(1), atOnce: false, now: Self.moment(0))
    grouping.add(location(2), atOnce: true, now: Self.moment(500))
    #expect(grouping.nextTimeout == Self.moment(0))
    #expect(grouping.slack == .zero)
    #expect(grouping.take().records.count == 2)
    grouping.add(location(3), atOnce: false, now: Self.moment(1000))
    #expect(grouping.nextTimeout == Self.moment(10_000))
  }

  @Test func aLargeGroupIsDueImmediately() {
    var grouping = CommitGrouping(interval: .seconds(600))
    for number in 1..<CommitGrouping.largestGroup {
      grouping.add(location(number), atOnce: false, now: Self.moment(Int64(number)))
    }
    #expect(grouping.nextTimeout == Self.moment(599_001))
    grouping.add(location(0), atOnce: false, now: Self.moment(2000))
    #expect(grouping.nextTimeout == Self.moment(1))
  }

  @Test func memoryIsBoundedAndDroppedRecordsAreCounted() {
    var grouping = CommitGrouping(interval: .seconds(10))
    grouping.add(LogRecord(event: .started), atOnce: true, now: .zero)
    let count = CommitGrouping.capacity * 2
    for number in 0..<count {
      grouping.add(location(number), atOnce: false, now: .zero)
      guard grouping.count > CommitGrouping.capacity else { continue }
      Issue.record("\(grouping.count) records in the group")
    }
    let (records, dropped) = grouping.take()
    #expect(records.count + dropped == count + 1)
    #expect(records.first == LogRecord(event: .started))
    #expect(records.last == location(count - 1))
    #expect(grouping.take().dropped == 0)
  }
}

/// A dated location with a content that depends on its number.
func location(_ number: Int) -> LogRecord {
  guard let coordinate = Coordinate(latitude: 52 + Double(number) * 1e-6, longitude: 13) else {
    preconditionFailure("52° and 13° lie on the earth")
  }
  return LogRecord(
    moment: .zero, time: Timestamp(milliseconds: 1_780_000_000_000 + Int64(number) * 1000),
    timeQuality: .receiver, body: .location(LocationRecord(coordinate: coordinate, deviceID: "van")))
}

extension LogRecord {
  init(event kind: EventKind) {
    self.init(moment: .zero, time: nil, timeQuality: .none, body: .event(EventRecord(kind)))
  }
}
