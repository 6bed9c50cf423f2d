import Quantities
import Testing

@testable import Chips

@Suite struct FIFOAssemblerTests {
  private static func part(
    _ count: Int, waiting: Int = 0, isOverrun: Bool = false, doubtful: Int = 0
  ) -> FIFOReading {
    FIFOReading(
      samples: [Acceleration](repeating: Acceleration(x: 0, y: 0, z: 1), count: count), isOverrun: isOverrun,
      waiting: waiting, doubtful: doubtful)
  }

  private static func moment(_ milliseconds: Int) -> Moment { .zero + .milliseconds(milliseconds) }

  /// A result: its number of samples, the remaining samples, and its time in ms.
  private struct Came: Equatable {
    var count: Int
    var waiting: Int
    var at: Int64
    var isOverrun = false

    init(_ count: Int, waiting: Int, at: Int64, isOverrun: Bool = false) {
      (self.count, self.waiting, self.at, self.isOverrun) = (count, waiting, at, isOverrun)
    }

    init(_ dated: FIFOAssembler.Dated) {
      self.init(
        dated.reading.samples.count, waiting: dated.reading.waiting,
        at: (dated.moment - .zero).wholeMilliseconds, isOverrun: dated.reading.isOverrun)
    }
  }

  private static func run(_ parts: [FIFOReading], capacity: Int = 512) -> (came: [Came], isInProgress: Bool) {
    var assembler = FIFOAssembler()
    var came: [Came] = []
    for (index, part) in parts.enumerated() {
      came += assembler.take(part, at: moment(50 * index), capacity: capacity).map(Came.init)
    }
    return (came, assembler.isInProgress)
  }

  @Test func aShortReadingIsCompleteImmediately() {
    let (came, isInProgress) = Self.run([Self.part(28), Self.part(0), Self.part(3, isOverrun: true)])
    #expect(
      came == [
        Came(28, waiting: 0, at: 0), Came(0, waiting: 0, at: 50),
        Came(3, waiting: 0, at: 100, isOverrun: true),
      ])
    #expect(!isInProgress)
  }

  @Test func partialReadingsAreCombinedAndDatedByTheLast() {
    let (came, isInProgress) = Self.run([
      Self.part(64, waiting: 448, isOverrun: true), Self.part(64, waiting: 389), Self.part(10),
    ])
    #expect(came == [Came(138, waiting: 0, at: 100, isOverrun: true)] && !isInProgress)
  }

  @Test func anOverrunSeparatesEarlierReadings() {
    let (came, _) = Self.run([
      Self.part(64, waiting: 448), Self.part(64, waiting: 400, isOverrun: true), Self.part(5),
    ])
    #expect(came == [Came(64, waiting: 448, at: 0), Came(69, waiting: 0, at: 100, isOverrun: true)])
  }

  @Test func doubtfulSamplesEndTheCollection() {
    let (came, isInProgress) = Self.run([Self.part(64, waiting: 448), Self.part(0, waiting: 9, doubtful: 64)])
    #expect(came == [Came(64, waiting: 448, at: 0), Came(0, waiting: 9, at: 50)] && !isInProgress)
  }

  @Test func anEndlessReadingIsEnded() {
    let (came, isInProgress) = Self.run([FIFOReading](repeating: Self.part(64, waiting: 448), count: 10))
    #expect(came == [Came(640, waiting: 448, at: 450)] && !isInProgress)
  }

  @Test func anAbandonedReadingKeepsItsMoment() throws {
    var assembler = FIFOAssembler()
    _ = assembler.take(Self.part(64, waiting: 448), at: Self.moment(7), capacity: 512)
    #expect(assembler.takePartial().map(Came.init) == Came(64, waiting: 448, at: 7))
    #expect(assembler.takePartial() == nil && !assembler.isInProgress)
  }
}
