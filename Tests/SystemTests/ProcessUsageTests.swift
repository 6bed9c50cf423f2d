import System
import Testing

@Suite struct ProcessUsageTests {
  @Test func theStatusOfTheKernelIsRead() {
    let usage = ProcessUsage(
      "Name:\toutrider\nVmRSS:\t    9216 kB\nRssAnon:\t    4096 kB\nThreads:\t2\nvoluntary_ctxt_switches:\t77\n"
    )
    #expect(usage.residentBytes == 9_437_184 && usage.anonymousBytes == 4_194_304)
    #expect(usage.threads == 2 && usage.wakeUps == 77)
  }

  @Test(arguments: [
    "", "VmRSS", "VmRSS:", "VmRSS:\tmany kB", "VmRSS:\t9223372036854775807 kB", "Threads:\t-3",
  ])
  func otherTextHasNoValues(text: String) {
    #expect(ProcessUsage(text) == ProcessUsage(""))
  }

  @Test func thisProcessHasMemoryAndThreads() {
    let usage = ProcessUsage.now()
    #expect(usage.residentBytes ?? 0 > 1_000_000 && usage.threads ?? 0 > 0 && usage.wakeUps != nil)
  }
}
