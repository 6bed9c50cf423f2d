import Testing
@testable import LocalAPI

/// The messages that wait for the clients of the stream.
@Suite struct StreamBacklogTests {
  /// A backlog that a macro can change.
  private final class Backlog {
    private var value = StreamBacklog()

    var topics: StreamTopics { value.topics }
    var isEmpty: Bool { value.isEmpty }
    var size: Int { value.size }

    func add(_ topics: StreamTopics) -> StreamBacklog.Slot? { value.add(topics) }
    @discardableResult func add(_ event: StreamEvent) -> [StreamBacklog.Slot] { value.add(event) }
    func remove(_ slot: StreamBacklog.Slot) { value.remove(slot) }
    func sent(event id: Int64, to slot: StreamBacklog.Slot) { value.sent(event: id, to: slot) }
    func next(for slot: StreamBacklog.Slot) -> StreamBacklog.Step { value.next(for: slot) }
  }

  private static func text(_ step: StreamBacklog.Step) -> String {
    switch step {
    case .message(let bytes, _): String(decoding: bytes, as: UTF8.self)
    case .lagged(let after): "lagged \(after.map { "\($0)" } ?? "-")"
    case .nothing: ""
    }
  }

  private static func fix(_ size: Int) -> StreamEvent { .fix([UInt8](repeating: 0x78, count: size)) }

  @Test func aMessageHasItsNameItsDataAndTheIDOfARecord() {
    let cases: [(StreamEvent, String)] = [
      (.status(Array("{}".utf8)), "event: status\ndata: {}\n\n"),
      (.event(id: 7, Array(#"{"id":7}"#.utf8)), "event: event\nid: 7\ndata: {\"id\":7}\n\n"),
      (.trip(Array("{\"a\":1,\n\r\n\"b\":2}".utf8)), "event: trip\ndata: {\"a\":1,\"b\":2}\n\n"),
      (
        .closing("program ends", until: nil),
        "event: closing\ndata: {\"reason\":\"program ends\",\"until\":null}\n\n"
      ),
    ]
    for (event, text) in cases { #expect(String(decoding: event.rendered, as: UTF8.self) == text) }
  }

  @Test func everyClientGetsWhatItRequestsAndOneCopyIsKept() throws {
    let backlog = Backlog()
    let plain = try #require(backlog.add(StreamTopics()))
    let sky = try #require(backlog.add(StreamTopics.sky))
    #expect(backlog.topics == .sky && !backlog.isEmpty)
    #expect(backlog.add(.sky(Array("1".utf8))) == [sky])
    #expect(backlog.add(.trip(Array("2".utf8))) == [plain, sky])
    #expect(backlog.add(.raw(Array("3".utf8))) == [])
    #expect(backlog.size == "event: sky\ndata: 1\n\nevent: trip\ndata: 2\n\n".utf8.count)
    #expect(Self.text(backlog.next(for: plain)).contains("data: 2") && backlog.next(for: plain) == .nothing)
    #expect(Self.text(backlog.next(for: sky)).contains("data: 1"))
    #expect(Self.text(backlog.next(for: sky)).contains("data: 2") && backlog.next(for: sky) == .nothing)
    #expect(backlog.size == 0)
    backlog.remove(sky)
    #expect(backlog.topics == [] && !backlog.isEmpty)
    backlog.remove(plain)
    #expect(backlog.isEmpty)
  }

  @Test func aFifthClientIsNotAddedUntilOneLeaves() throws {
    let backlog = Backlog()
    let slots = try (0..<4).map { _ in try #require(backlog.add(StreamTopics())) }
    #expect(Set(slots).count == 4 && backlog.add(StreamTopics()) == nil)
    backlog.remove(slots[2])
    #expect(backlog.add(StreamTopics()) == slots[2])
  }

  @Test func aClientThatTakesNothingCostsAtMostItsLimit() throws {
    let backlog = Backlog()
    let slow = try #require(backlog.add(StreamTopics()))
    let quick = try #require(backlog.add(StreamTopics()))
    var most = 0
    for _ in 0..<1000 {
      backlog.add(Self.fix(1000))
      #expect(Self.text(backlog.next(for: quick)).count > 1000)
      most = max(most, backlog.size)
    }
    #expect(most <= StreamBacklog.unsentLimit && most > StreamBacklog.unsentLimit - 2000)
    #expect(backlog.next(for: quick) == .nothing, "the other client misses nothing and gets nothing twice")
    #expect(backlog.next(for: slow) == .lagged(eventsAfter: nil))
    #expect(backlog.next(for: slow) == .nothing)
    backlog.add(Self.fix(10))
    #expect(Self.text(backlog.next(for: slow)).hasPrefix("event: fix"))
  }

  @Test func aMessageLargerThanTheLimitWaitsAlone() throws {
    let backlog = Backlog()
    let slot = try #require(backlog.add(StreamTopics()))
    backlog.add(Self.fix(100_000))
    #expect(Self.text(backlog.next(for: slot)).count > 100_000)
  }

  /// After messages were dropped, the client reads the log from its last event on.
  @Test func droppedEventsAreReadFromTheLogAndNoneIsSentTwice() throws {
    let backlog = Backlog()
    let slot = try #require(backlog.add(StreamTopics()))
    backlog.add(.event(id: 5, []))
    #expect(Self.text(backlog.next(for: slot)).contains("id: 5"))
    backlog.add(.event(id: 8, []))
    for _ in 0..<20 { backlog.add(Self.fix(1000)) }
    backlog.add(.event(id: 9, []))
    #expect(backlog.next(for: slot) == .lagged(eventsAfter: 5))
    // The log had 8, 9 and 10; 10 is published meanwhile.
    backlog.add(.event(id: 10, []))
    backlog.add(.event(id: 11, []))
    backlog.sent(event: 10, to: slot)
    #expect(Self.text(backlog.next(for: slot)).contains("id: 11"))
    #expect(backlog.next(for: slot) == .nothing)
  }

  @Test func aNewClientThatLagsReadsFromItsFirstDroppedEvent() throws {
    let backlog = Backlog()
    let slot = try #require(backlog.add(StreamTopics()))
    backlog.add(Self.fix(10_000))
    backlog.add(.event(id: 21, []))
    backlog.add(Self.fix(10_000))
    #expect(backlog.next(for: slot) == .lagged(eventsAfter: 20))
  }
}
