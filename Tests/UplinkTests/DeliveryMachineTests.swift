import Quantities
import Records
import Testing
import Uplink

@Suite struct DeliveryMachineTests {
  @Test func theFirstRecordAfterTheStartIsSentImmediately() {
    var bench = DeliveryBench()
    bench.send(.started)
    bench.advance(.seconds(7))
    bench.record(1)
    #expect(bench.log == ["7s border 1", "7s post 1-1", "7s acknowledge 1"])
    #expect(bench.machine.nextTimeout == nil)
  }

  @Test func laterRecordsWaitForTheInterval() {
    var bench = DeliveryBench()
    bench.send(.started)
    bench.record(1)
    bench.forgetLog()
    for _ in 0..<3 {
      bench.advance(.seconds(50))
      bench.record(1)
    }
    bench.advance(.seconds(149))
    #expect(bench.log.isEmpty)
    bench.advance(.seconds(1))
    #expect(bench.log == ["300s border 4", "300s post 2-4", "300s acknowledge 4"])
  }

  @Test func aDeliveryMakesTwoRequestsOfTheLog() {
    var bench = DeliveryBench()
    bench.send(.started)
    bench.record(3)
    #expect(bench.log == ["0s border 3", "0s post 1-3", "0s acknowledge 3"])
    // The first one found an empty log.
    #expect(bench.requests == 1 + 2)
  }

  @Test func inABacklogTheAcknowledgementRequestsTheBatchAfterTheNext() {
    var machine = DeliveryBench().machine
    let batches = [10, 20, 30].map {
      LoadedBatch(through: RecordID($0), size: 10, records: 10, features: 10, hasMore: true)
    }
    _ = machine.handle(.started, now: .zero)
    _ = machine.handle(.batchLoaded(batches[0]), now: .zero)
    _ = machine.handle(.batchLoaded(batches[1]), now: .zero)
    #expect(
      machine.handle(.answered(.accepted), now: .zero) == [
        .acknowledge(at: batches[0].position, next: BatchRequest(after: batches[1].position, size: 10)),
        .post(batches[1], attachCurrent: true),
      ])
  }

  @Test func theBoundaryOfABatchThatMayStillGrowIsNotStored() {
    var machine = DeliveryBench().machine
    _ = machine.handle(.started, now: .zero)
    _ = machine.handle(.batchLoaded(nil), now: .zero)
    _ = machine.handle(.recordsDurable(count: 1), now: .zero)
    let first = LoadedBatch(
      through: RecordID(1), size: 10, records: 1, features: 1, hasMore: false, boundary: .stored)
    #expect(machine.handle(.batchLoaded(first), now: .zero) == [.post(first, attachCurrent: false)])
    _ = machine.handle(.recordsDurable(count: 10), now: .zero)
    let actions = machine.handle(.answered(.accepted), now: .zero)
    // A full batch is expected; an incomplete one would wait for the interval.
    #expect(
      actions == [
        .acknowledge(
          at: first.position, next: BatchRequest(after: first.position, size: 10, largestToSend: 0))
      ])
  }

  @Test func fullBatchesAreSentWithoutPause() {
    var bench = DeliveryBench()
    bench.newest = 34
    bench.send(.started)
    #expect(
      bench.log == [
        "0s post 1-10 current", "0s acknowledge 10", "0s post 11-20 current", "0s acknowledge 20",
        "0s post 21-30 current", "0s acknowledge 30",
      ])
    bench.advance(.seconds(300))
    #expect(bench.log.suffix(3) == ["300s border 34", "300s post 31-34", "300s acknowledge 34"])
  }

  @Test func currentIsAttachedOnlyIfTheQueueExceedsOneBatch() {
    var bench = DeliveryBench()
    bench.newest = 10
    bench.send(.started)
    #expect(bench.log == ["0s post 1-10", "0s acknowledge 10"])
  }

  @Test func currentIsAttachedOnceTheQueueHasGrownDuringRetries() {
    var bench = DeliveryBench()
    bench.replies = [DeliveryBench.down, DeliveryBench.down]
    bench.send(.started)
    bench.record(2)
    bench.record(8)
    bench.send(.sendNow)
    bench.record(1)
    bench.send(.sendNow)
    #expect(
      bench.log.filter { $0.contains("post") } == ["0s post 1-2", "0s post 1-2", "0s post 1-2 current"])
  }

  @Test func aRecordThatIsInTheBatchIsNotCountedTwice() {
    var machine = DeliveryMachine(settings: .init(), seed: 1)
    _ = machine.handle(.started, now: .zero)
    _ = machine.handle(.recordsDurable(count: 1), now: .zero)
    let full = LoadedBatch(through: RecordID(200), size: 200, records: 200, features: 200, hasMore: false)
    #expect(machine.handle(.batchLoaded(full), now: .zero) == [.post(full, attachCurrent: false)])
    _ = machine.handle(.answered(.refused(Refusal(.busy, reason: "busy"))), now: .zero)
    _ = machine.handle(.recordsDurable(count: 1), now: .zero)
    #expect(machine.handle(.sendNow, now: .zero) == [.post(full, attachCurrent: true)])
  }

  @Test func eventsAloneLoadNothing() {
    var machine = DeliveryMachine(settings: .init(), seed: 1)
    _ = machine.handle(.started, now: .zero)
    _ = machine.handle(.batchLoaded(nil), now: .zero)
    let later = Moment.zero + .seconds(1000)
    #expect(machine.handle(.recordsDurable(count: 0), now: later).isEmpty)
    #expect(machine.nextTimeout == nil && machine.nextSend == nil)
    #expect(
      machine.handle(.recordsDurable(count: 1), now: later) == [
        .loadBatch(BatchRequest(size: 200, largestToSend: .max))
      ])
  }

  @Test func aReopenedLogIsLoadedAndCountsNoRecord() {
    var machine = DeliveryMachine(settings: .init(), seed: 1)
    _ = machine.handle(.started, now: .zero)
    _ = machine.handle(.batchLoaded(nil), now: .zero)
    #expect(
      machine.handle(.logReopened, now: .zero) == [.loadBatch(BatchRequest(size: 200, largestToSend: .max))])
    let full = LoadedBatch(through: RecordID(200), size: 200, records: 200, features: 200, hasMore: false)
    #expect(machine.handle(.batchLoaded(full), now: .zero) == [.post(full, attachCurrent: false)])
    _ = machine.handle(.answered(.refused(Refusal(.busy, reason: "busy"))), now: .zero)
    _ = machine.handle(.logReopened, now: .zero)
    #expect(machine.handle(.sendNow, now: .zero) == [.post(full, attachCurrent: false)])
    _ = machine.handle(.answered(.accepted), now: .zero)
    #expect(machine.nextTimeout == .zero + .seconds(300), "the log is loaded at the next attempt")
  }

  @Test func aBatchIsRetriedUnchangedDespiteNewRecords() {
    var bench = DeliveryBench()
    bench.replies = Array(repeating: DeliveryBench.down, count: 5)
    bench.send(.started)
    bench.record(3)
    for _ in 0..<200 {
      bench.advance(.seconds(1))
      bench.record(1)
    }
    #expect(bench.posted.prefix(6).allSatisfy { $0.through == RecordID(3) && $0.records == 3 })
    #expect(bench.log.filter { $0.contains("border 3") }.count == 1)
    bench.advance(.seconds(600))
    #expect(bench.acknowledged == 203)
  }

  @Test func anIncompleteBatchIsTheSameAfterARestart() {
    var bench = DeliveryBench()
    bench.replies = [.silence]
    bench.send(.started)
    bench.record(3)
    bench.newest = 9
    bench.restart()
    #expect(bench.log.prefix(2) == ["0s border 3", "0s post 1-3"])
    #expect(bench.posted.map(\.through) == [RecordID(3), RecordID(3)])
    bench.advance(.seconds(300))
    #expect(bench.acknowledged == 9)
  }

  @Test func noByteIsSentBeforeTheBatchBoundaryIsOnDisk() {
    var bench = DeliveryBench()
    bench.commits = false
    bench.send(.started)
    bench.record(1)
    bench.advance(.seconds(1000))
    #expect(bench.log == ["0s border 1"])
    bench.send(.batchBoundaryCommitted(through: RecordID(1)))
    #expect(bench.posted.count == 1)
  }

  @Test func onlyOneMoreBatchIsSentBeforeAnAcknowledgementIsOnDisk() {
    var bench = DeliveryBench()
    bench.commits = false
    bench.newest = 50
    bench.send(.started)
    bench.advance(.seconds(1000))
    #expect(
      bench.log == [
        "0s post 1-10 current", "0s acknowledge 10", "0s post 11-20 current", "0s acknowledge 20",
      ])
    bench.send(.acknowledged(through: RecordID(10)))
    #expect(bench.log.suffix(2) == ["1000s post 21-30 current", "1000s acknowledge 30"])
    bench.send(.acknowledged(through: RecordID(30)))
    #expect(bench.posted.map(\.through.rawValue) == [10, 20, 30, 40, 50])
  }

  @Test func failureIsReportedOnceAndRecoveryOnce() {
    var bench = DeliveryBench()
    bench.replies = Array(repeating: DeliveryBench.down, count: 7)
    bench.send(.started)
    bench.record(1)
    bench.advance(.seconds(3600))
    let reports = bench.log.filter { $0.contains("failing") || $0.contains("recovered") }
    #expect(reports.count == 2)
    #expect(reports.first == "0s failing: down")
    #expect(reports.last?.hasSuffix("recovered after 7") == true)
    #expect(bench.machine.failures == 0 && bench.machine.lastRefusal == nil)
  }

  @Test func aTransportWithoutResultTimesOut() {
    var bench = DeliveryBench()
    bench.replies = [.silence]
    bench.send(.started)
    bench.record(1)
    bench.advance(.seconds(100))
    #expect(
      bench.log[2...3] == [
        "65s abandon",
        "65s failing: no response before the timeout; check the server's load or raise the timeout",
      ])
    #expect(bench.acknowledged == 1)
  }

  @Test func aVerdictOnAnAbandonedRequestIsIgnored() {
    var bench = DeliveryBench()
    bench.replies = [DeliveryBench.down]
    bench.send(.started)
    bench.record(1)
    bench.send(.answered(.accepted))
    #expect(bench.acknowledged == 0)
  }

  @Test(arguments: 0..<32)
  func theBackOffGrowsWithJitterUpToItsCeiling(seed: UInt64) {
    var backOff = RetryDelay(seed: seed)
    var ceiling = 2.0
    for _ in 0..<14 {
      let wait = backOff.nextWait(retryAfter: nil).inSeconds
      #expect(wait >= 0.5 && wait <= ceiling)
      ceiling = min(ceiling * 2, 900)
    }
    backOff.reset()
    #expect(backOff.nextWait(retryAfter: nil) <= .seconds(2))
  }

  @Test(arguments: [(17, 17), (3600, 3600), (1e9, 86_400)])
  func retryAfterLengthensTheBackOff(asked: Double, waited: Double) {
    var backOff = RetryDelay(seed: 3)
    #expect(backOff.nextWait(retryAfter: .seconds(asked)) == .seconds(waited))
  }

  @Test(arguments: [0, 1, 5])
  func aShortRetryAfterDoesNotShortenTheBackOff(asked: Int) {
    var (backOff, without) = (RetryDelay(seed: 3), RetryDelay(seed: 3))
    for _ in 0..<20 {
      let wait = backOff.nextWait(retryAfter: .seconds(asked))
      #expect(wait == max(without.nextWait(retryAfter: nil), .seconds(asked)))
    }
  }

  @Test func retryAfterDelaysTheNextAttempt() {
    var bench = DeliveryBench()
    bench.replies = [.refuse(Refusal(.busy, reason: "busy", retryAfter: .seconds(3600)))]
    bench.send(.started)
    bench.record(1)
    bench.advance(.seconds(3599))
    #expect(bench.posted.count == 1)
    bench.advance(.seconds(1))
    #expect(bench.posted.count == 2 && bench.acknowledged == 1)
  }

  @Test func sendNowSendsTheWholeQueueWithoutInterval() {
    var bench = DeliveryBench()
    bench.send(.started)
    bench.record(1)
    bench.newest += 25
    bench.send(.sendNow)
    #expect(bench.acknowledged == 26)
    bench.record(1)
    #expect(bench.acknowledged == 26)
  }

  @Test func nothingIsSentWhileSendingIsOffExceptOnRequest() {
    var bench = DeliveryBench { $0.sendInterval = nil }
    bench.send(.started)
    bench.record(25)
    bench.advance(.seconds(100_000))
    #expect(bench.log.isEmpty && bench.machine.nextTimeout == nil)
    bench.send(.sendNow)
    #expect(bench.acknowledged == 25)
    bench.record(25)
    #expect(bench.acknowledged == 25)
  }

  @Test func aBacklogIsSentOnceSendingIsSwitchedOn() {
    var bench = DeliveryBench { $0.sendInterval = nil }
    bench.newest = 5
    bench.send(.started)
    bench.send(.settingsChanged(DeliveryMachine.Settings()))
    #expect(bench.acknowledged == 5)
  }

  @Test func switchingSendingOffStopsTheRetries() {
    var bench = DeliveryBench()
    bench.replies = [DeliveryBench.down]
    bench.send(.started)
    bench.record(1)
    var off = bench.machine.settings
    let on = off
    off.sendInterval = nil
    bench.send(.settingsChanged(off))
    bench.advance(.seconds(100_000))
    #expect(bench.posted.count == 1)
    bench.send(.settingsChanged(on))
    bench.advance(.zero)
    #expect(bench.acknowledged == 1)
  }

  @Test func aShorterIntervalTakesEffectImmediately() {
    var bench = DeliveryBench()
    bench.send(.started)
    bench.record(1)
    bench.advance(.seconds(10))
    bench.record(1)
    var settings = bench.machine.settings
    settings.sendInterval = .seconds(5)
    bench.send(.settingsChanged(settings))
    #expect(bench.acknowledged == 2)
  }

  @Test func anotherBatchSizeDoesNotMoveABatchBoundary() {
    var bench = DeliveryBench()
    bench.newest = 40
    bench.replies = [DeliveryBench.down]
    bench.send(.started)
    var settings = bench.machine.settings
    settings.batchSize = 25
    bench.send(.settingsChanged(settings))
    #expect(bench.log.last == "0s border 10")
    bench.replies = [.silence]
    bench.advance(.seconds(2))
    bench.restart()
    #expect(bench.posted.prefix(3).allSatisfy { $0.through == RecordID(10) && $0.records == 10 })
    bench.advance(.seconds(300))
    #expect(bench.acknowledged == 40)
  }

  @Test func aBatchWithoutSendableRecordsIsAcknowledgedWithoutARequest() {
    var machine = DeliveryMachine(settings: .init(), seed: 1)
    #expect(
      machine.handle(.started, now: .zero) == [.loadBatch(BatchRequest(size: 200, largestToSend: .max))])
    let events = LoadedBatch(through: RecordID(7), size: 200, records: 7, features: 0, hasMore: false)
    #expect(
      machine.handle(.batchLoaded(events), now: .zero) == [.acknowledge(at: events.position, next: nil)])
    #expect(machine.nextTimeout == nil)
  }

  @Test(
    "the end of a batch that counting does not find again is committed before the first byte is sent",
    arguments: [
      // The log still counts in another batch size.
      LoadedBatch(through: RecordID(20), size: 10, records: 20, features: 20, hasMore: true),
      LoadedBatch(through: RecordID(5), size: 10, records: 5, features: 5, hasMore: true),
      // Full, but the log cannot reproduce the boundary.
      LoadedBatch(
        through: RecordID(10), size: 10, records: 10, features: 10, hasMore: true, boundary: .missing),
    ])
  func boundary(batch: LoadedBatch) {
    var machine = DeliveryBench().machine
    _ = machine.handle(.started, now: .zero)
    #expect(machine.handle(.batchLoaded(batch), now: .zero) == [.commitBatchBoundary(at: batch.position)])
  }

  @Test func aBatchLoadedInAdvanceGetsABoundaryIfTheSizeChanges() {
    var machine = DeliveryBench().machine
    let first = LoadedBatch(through: RecordID(10), size: 10, records: 10, features: 10, hasMore: true)
    let second = LoadedBatch(through: RecordID(20), size: 10, records: 10, features: 10, hasMore: true)
    _ = machine.handle(.started, now: .zero)
    _ = machine.handle(.batchLoaded(first), now: .zero)
    _ = machine.handle(.batchLoaded(second), now: .zero)
    var settings = machine.settings
    settings.batchSize = 5
    _ = machine.handle(.settingsChanged(settings), now: .zero)
    let actions = machine.handle(.answered(.accepted), now: .zero)
    #expect(
      actions == [.acknowledge(at: first.position, next: nil), .commitBatchBoundary(at: second.position)])
  }

  @Test func anAcknowledgementOnDiskReleasesOnlyEarlierOnes() {
    var machine = DeliveryBench().machine
    // Late records have smaller ids than the records that were sent before them.
    let batches = [100, 20, 120].map {
      LoadedBatch(through: RecordID($0), size: 10, records: 10, features: 10, hasMore: true)
    }
    _ = machine.handle(.started, now: .zero)
    for batch in batches.prefix(2) {
      _ = machine.handle(.batchLoaded(batch), now: .zero)
      _ = machine.handle(.answered(.accepted), now: .zero)
    }
    #expect(machine.handle(.batchLoaded(batches[2]), now: .zero) == [])
    #expect(
      machine.handle(.acknowledged(through: RecordID(100)), now: .zero).first
        == .post(batches[2], attachCurrent: true))
    _ = machine.handle(.answered(.accepted), now: .zero)
    let fourth = LoadedBatch(through: RecordID(130), size: 10, records: 10, features: 10, hasMore: true)
    // The acknowledgement of the late batch is not on disk yet.
    #expect(machine.handle(.batchLoaded(fourth), now: .zero) == [])
  }
}
