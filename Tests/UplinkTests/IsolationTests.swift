import Quantities
import Records
import Testing
import Uplink

@Suite struct IsolationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var records: Int64
    var poison: Set<Int64>
    var testDescription: String { "\(poison.sorted()) of \(records)" }
  }

  static let cases = [
    Case(records: 40, poison: [1]), Case(records: 40, poison: [10]), Case(records: 40, poison: [11]),
    Case(records: 40, poison: [37]), Case(records: 40, poison: [1, 2, 3]),
    Case(records: 40, poison: [5, 6, 25]),
    Case(records: 12, poison: [1, 10, 11]), Case(records: 11, poison: [10]), Case(records: 2, poison: [1]),
    Case(records: 200, poison: [7, 70, 71, 170]),
  ]

  @Test(arguments: cases)
  func theRejectedRecordIsSetAsideAndTheOthersAreDelivered(_ situation: Case) {
    var bench = DeliveryBench()
    bench.poison = situation.poison
    bench.newest = situation.records
    bench.send(.started)
    bench.advance(.seconds(7200))
    #expect(bench.setAside == situation.poison.sorted())
    #expect(bench.acknowledged == situation.records)
  }

  @Test func theSearchTakesSecondsAndHalvesTheBatch() {
    var bench = DeliveryBench { $0.batchSize = 200 }
    bench.poison = [150]
    bench.newest = 400
    bench.send(.started)
    bench.advance(.seconds(60))
    #expect(bench.setAside == [150] && bench.acknowledged >= 350)
    #expect(bench.posted.count < 20)
  }

  @Test func nothingIsSetAsideWhileTheServerRejectsEverything() {
    var bench = DeliveryBench()
    bench.poison = Set(1...1000)
    bench.newest = 100
    bench.send(.started)
    bench.advance(.seconds(86_400))
    #expect(bench.setAside.isEmpty && bench.acknowledged == 0)
    // The server works again.
    bench.poison = []
    bench.advance(.seconds(3600))
    #expect(bench.setAside.isEmpty && bench.acknowledged == 100)
  }

  @Test func aBrokenServerIsNotFlooded() {
    var bench = DeliveryBench()
    bench.poison = Set(1...1000)
    bench.newest = 100
    bench.send(.started)
    bench.advance(.seconds(86_400))
    let before = bench.posted.count
    bench.advance(.seconds(3600))
    // A search of about twenty requests every quarter of an hour at most, with jitter.
    #expect(bench.posted.count - before < 400)
  }

  @Test func theLastRecordIsSetAsideOnlyAfterAnotherIsAccepted() {
    var bench = DeliveryBench()
    bench.poison = [1]
    bench.send(.started)
    bench.record(1)
    bench.advance(.seconds(3600))
    #expect(bench.setAside.isEmpty)
    bench.record(1)
    bench.advance(.seconds(3600))
    #expect(bench.setAside == [1] && bench.acknowledged == 2)
  }

  static let patient: [Refusal.Kind] = [
    .unreachable, .outcomeUnknown, .configuration, .credentials, .wrongAddress, .busy, .redirected,
    .notConfirmed, .unrouted,
  ]

  @Test(arguments: patient)
  func aServerFaultNeverCutsABatch(_ kind: Refusal.Kind) {
    var bench = DeliveryBench()
    bench.replies = Array(repeating: .refuse(Refusal(kind, reason: "no")), count: 40)
    bench.newest = 30
    bench.send(.started)
    bench.advance(.seconds(86_400))
    #expect(bench.posted.prefix(41).allSatisfy { $0.through == RecordID(10) && $0.records == 10 })
    #expect(bench.setAside.isEmpty && bench.acknowledged == 30)
  }

  @Test func tooLargeHalvesTheBatchSizePermanently() {
    var bench = DeliveryBench { $0.batchSize = 100 }
    let tooLarge = DeliveryBench.Reply.refuse(Refusal(.tooLarge, reason: "413"))
    bench.replies = [tooLarge, tooLarge]
    bench.newest = 200
    bench.send(.started)
    bench.advance(.seconds(600))
    #expect(bench.posted.map(\.records).prefix(4) == [100, 50, 25, 25])
    #expect(bench.posted.dropFirst(2).allSatisfy { $0.records == 25 })
    #expect(bench.acknowledged == 200 && bench.setAside.isEmpty)
  }

  @Test func aSingleRecordThatIsTooLargeIsRetried() {
    var bench = DeliveryBench()
    bench.replies = Array(repeating: .refuse(Refusal(.tooLarge, reason: "413")), count: 20)
    bench.send(.started)
    bench.record(1)
    bench.advance(.seconds(86_400))
    #expect(bench.setAside.isEmpty && bench.acknowledged == 1)
  }

  @Test func aTransientRejectionLosesNoRecord() {
    var bench = DeliveryBench()
    let content = DeliveryBench.Reply.refuse(Refusal(.content, reason: "500"))
    bench.replies = [content, content, content, content]
    bench.newest = 40
    bench.send(.started)
    bench.advance(.seconds(3600))
    #expect(bench.setAside.isEmpty && bench.acknowledged == 40)
  }
}
