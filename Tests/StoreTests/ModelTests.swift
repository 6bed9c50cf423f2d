import Quantities
import Records
import Testing

import Store

/// Compares the log with a simple model: random jobs with kills in between never lose, repeat or change a record.
@Suite struct ModelTests {
  struct Model {
    var written: [(id: Int64, number: Int, boot: Int)] = []
    var dates: [Int: Bool] = [:]
    var received: [String: [Int64]] = [:]
    /// The batch in flight, by destination.
    var inFlight: [String: Batch] = [:]
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func everyDatedRecordArrivesOnceAndRetriesAreIdentical(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var model = Model()
    var scratch = try Scratch()
    var boot = 0
    var number = 0
    var size = Int.random(in: 1...6, using: &random)
    var log = try scratch.open(boot: "boot-0").log
    let names = ["home", "work"]
    try log.register(batchSizes: ["home": size, "work": size])
    for _ in 0..<80 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0...3:
        var group: [LogRecord] = []
        let first = log.lastID.rawValue + 1
        for offset in 0..<Int.random(in: 1...5, using: &random) {
          number += 1
          let isEvent = Int.random(in: 0..<5, using: &random) == 0
          let dated = model.dates[boot] == true || Int.random(in: 0..<3, using: &random) > 0
          group.append(isEvent ? event(.clockSet, number: number) : fix(number, dated: dated))
          if !isEvent { model.written.append((first + Int64(offset), number, dated ? -1 : boot)) }
        }
        #expect(try log.append(group)?.ids.lowerBound == RecordID(first), "seed \(seed)")
      case 4...6:
        let name = try #require(names.randomElement(using: &random))
        guard let batch = try log.batch(name, size: size) else { continue }
        if let before = model.inFlight[name], before.isLate == batch.isLate {
          #expect(batch.records == before.records && batch.through == before.through, "seed \(seed)")
        }
        if batch.boundary == .missing {
          try log.commitBatchBoundary(name, through: batch.through, late: batch.isLate)
        }
        model.inFlight[name] = batch
      case 7...8:
        let name = try #require(names.randomElement(using: &random))
        guard let batch = model.inFlight.removeValue(forKey: name) else { continue }
        let newSize = Bool.random(using: &random) ? size : nil
        try log.acknowledge(name, through: batch.through, late: batch.isLate, newBatchSize: newSize)
        model.received[name, default: []] += batch.ids
      case 9:
        let count = try log.date(offset: DatingTests.offset, quality: .receiver)
        if model.dates[boot] == true { #expect(count == 0, "seed \(seed)") }
        model.dates[boot] = true
      case 10:
        if Bool.random(using: &random) { boot += 1 }
        size = Int.random(in: 1...6, using: &random)
        let killed = try scratch.copy()
        if Bool.random(using: &random) { try log.close() }
        log = try killed.open(boot: "boot-\(boot)").log
        scratch = killed
        try log.register(batchSizes: ["home": size, "work": size])
      default:
        let status = try log.status()
        #expect(try LogReader(directory: scratch.path).status().withoutNewest == status, "seed \(seed)")
      }
    }
    for name in names {
      while let batch = try log.batch(name, size: size) {
        try log.acknowledge(batch, name)
        model.received[name, default: []] += batch.ids
      }
      let expected = model.written.filter { $0.boot < 0 || model.dates[$0.boot] == true }.map(\.id)
      #expect(model.received[name, default: []].sorted() == expected, "seed \(seed), \(name)")
    }
    for (id, number, boot) in model.written {
      let dated = boot < 0 || model.dates[boot] == true
      #expect(try SalvageTests.read(log, id)?.time == (dated ? fix(number).time : nil), "seed \(seed)")
    }
  }
}
