import Quantities
@testable import System
import Testing

@Suite struct ProcessUsageTests {
  @Test func theStatusOfTheKernelIsRead() {
    let text =
      "Name:\toutrider\nVmRSS:\t    9216 kB\nRssAnon:\t    4096 kB\nThreads:\t2\nvoluntary_ctxt_switches:\t77\n"
      + "nonvoluntary_ctxt_switches:\t5\n"
    let usage = ProcessUsage(Array(text.utf8))
    #expect(usage.residentBytes == 9_437_184 && usage.anonymousBytes == 4_194_304)
    #expect(usage.threads == 2 && usage.wakeUps == 77)
  }

  @Test(arguments: [
    "", "VmRSS", "VmRSS:", "VmRSS:\tmany kB", "VmRSS:\t9223372036854775807 kB", "Threads:\t-3",
    "Threads:\t3x",
    "Threads:\t9223372036854775808", "XThreads:\t3", "Threads :\t3", "\n\n:\n",
  ])
  func otherTextHasNoValues(text: String) {
    #expect(ProcessUsage(Array(text.utf8)) == ProcessUsage([]))
  }

  @Test func thisProcessHasMemoryAndThreads() {
    let usage = ProcessUsage.now()
    #expect(usage.residentBytes ?? 0 > 1_000_000 && usage.threads ?? 0 > 0 && usage.wakeUps != nil)
  }

  static let numbers = "S " + (1...17).map { "\($0)" }.joined(separator: " ") + " 0"

  static let starts: [(stat: String, start: Moment?)] = [
    ("812 (outrider) \(numbers) 12345 9 9", Moment(nanoseconds: 123_450_000_000)),
    ("812 (a) b) (c) \(numbers) 50 9", Moment(nanoseconds: 500_000_000)),
    ("812 (outrider) \(numbers) -1 9", nil), ("812 (outrider) \(numbers)", nil), ("", nil), (")", nil),
    ("812 (outrider) \(numbers) 99999999999999999999 9", nil),
  ]

  @Test(arguments: starts)
  func theStartIsTheTwentySecondField(stat: String, start: Moment?) {
    #expect(ProcessUsage.start(of: stat, ticksPerSecond: 100) == start)
  }

  @Test func thisProcessHasStarted() throws {
    let start = try #require(ProcessUsage.start())
    #expect(start > .zero && start <= SystemClock.moment())
  }
}
