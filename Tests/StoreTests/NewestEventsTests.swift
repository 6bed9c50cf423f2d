import Quantities
import Records
import Testing

import Store

@Suite struct NewestEventsTests {
  private static func event(_ number: Int) -> LogRecord {
    LogRecord(
      moment: Moment(nanoseconds: Int64(number)), time: nil, timeQuality: .none,
      body: .event(EventRecord(.receiverFound, [.port: .text("/dev/tty\(number)")])))
  }

  private static func ports(_ records: [StoredRecord]) -> [String] {
    records.compactMap { record in
      guard case .event(let event) = record.record.body, case .text(let port)? = event.fields[.port] else {
        return nil
      }
      return port
    }
  }

  @Test func theNewestEventsAreReturnedInOrderWithoutOtherRecords() throws {
    let scratch = try Scratch()
    do {
      let (log, _) = try scratch.open()
      _ = try log.append([Self.event(1), fix(2), Self.event(3), fix(4), fix(5), Self.event(6), fix(7)])
      try log.close()
    }
    let reader = try LogReader(directory: scratch.path)
    let all = Self.ports(try reader.newestEvents(among: 1000, limit: 10))
    #expect(all.suffix(3) == ["/dev/tty1", "/dev/tty3", "/dev/tty6"])
    #expect(Self.ports(try reader.newestEvents(among: 1000, limit: 2)) == ["/dev/tty3", "/dev/tty6"])
    #expect(Self.ports(try reader.newestEvents(among: 3, limit: 10)) == ["/dev/tty6"])
    #expect(Self.ports(try reader.newestEvents(among: 1, limit: 10)) == [])
  }
}
