import Testing

@testable import HTTPServer

/// The progress of clients, by scripted samples of the kernel's buffer.
@Suite struct ReadingProgressTests {
  /// The bytes that the kernel holds before a run of the library, those that it produces, and what the kernel holds then.
  typealias Run = (held: Int, produced: Int, after: Int)

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let runs: [Run]
    let isReading: [Bool]
    let portion: Int
    var isSliced = true
  }

  static let cases = [
    Case(
      testDescription: "a buffer that fills and is not read",
      runs: [(0, 400, 400), (400, 100, 500), (500, 0, 500), (500, 0, 500)],
      isReading: [false, false, false, false], portion: 0),
    Case(
      testDescription: "a buffer that drains without a write",
      runs: [(0, 500, 500), (480, 0, 480), (480, 0, 480), (300, 0, 300)],
      isReading: [false, true, false, true], portion: 200),
    Case(
      testDescription: "bytes that are read while the library writes",
      runs: [(0, 100, 0), (0, 100, 0), (0, 100, 0), (0, 0, 0)],
      isReading: [false, false, false, false], portion: 300),
    Case(
      testDescription: "a buffer that is as full as before",
      runs: [(0, 500, 500), (300, 200, 500), (500, 0, 500)], isReading: [false, true, false], portion: 200),
    // 1,000 bytes of the kernel for 800 of the response: 1,200 were read.
    Case(
      testDescription: "the kernel's own bytes",
      runs: [(0, 800, 1000), (250, 600, 1000), (250, 600, 1000), (1000, 0, 1000)],
      isReading: [false, true, true, false], portion: 1000),
    Case(
      testDescription: "a body that is written at once and then read", runs: [(0, 0, 500), (400, 0, 400)],
      isReading: [false, true], portion: 0, isSliced: false),
    Case(
      testDescription: "a body of which more is written than was read",
      runs: [(0, 0, 500), (500, 0, 500), (100, 0, 500), (450, 0, 450)],
      isReading: [false, false, true, true], portion: 50, isSliced: false),
  ]

  @Test(arguments: cases)
  func readingIsSeenInSamples(_ row: Case) {
    var progress = ReadingProgress(isSliced: row.isSliced, held: 0)
    var isReading: [Bool] = []
    for run in row.runs {
      isReading.append(progress.takeSample(held: run.held))
      progress.addProduced(run.produced)
      progress.noteRun(held: run.after)
    }
    #expect(isReading == row.isReading)
    #expect(progress.portionBytes == row.portion)
    progress.beginPortion()
    #expect(progress.portionBytes == 0 && progress.isSliced == row.isSliced)
  }

  @Test func bytesOfTheResponseBeforeAreNoProgress() {
    var progress = ReadingProgress(isSliced: true, held: 300)
    let isReading = progress.takeSample(held: 300)
    #expect(!isReading && progress.portionBytes == 0)
  }
}
