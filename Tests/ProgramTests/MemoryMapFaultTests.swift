import Glibc
import Quantities
import Testing

/// A fault of the file system that ends the program: pages of a memory-mapped file that are gone (SIGBUS of mmap(2)).
@Suite(.serialized) struct MemoryMapFaultTests {
  /// The index of the write-ahead log loses its pages, as after `chattr +i` on a file that has to grow, or on a full tmpfs.
  /// The service restarts the program; what was durable is there, and recording goes on.
  @Test func aBusErrorOfTheIndexEndsTheProgramAndLosesNothingDurable() throws {
    let recording = Recording.simulated(epochs: 240)
    let bench = try LoggerBench(url: nil)
    try bench.start()
    bench.feeder.play(Array(recording.pieces[..<120]), every: .milliseconds(2))
    #expect(eventually(within: .seconds(20)) { bench.feeder.isFinished })
    #expect(bench.hasStored(60))
    let durable = bench.times
    // Only while no other program has the index mapped.
    #expect(truncate(bench.database + "-shm", 0) == 0)
    bench.feeder.play(Array(recording.pieces[120...]), every: .milliseconds(5))
    #expect(bench.program?.exitStatus(within: .seconds(20)) == -SIGBUS)
    try bench.start()
    #expect(eventually(within: .seconds(20)) { bench.events("started").count == 2 })
    #expect(bench.events("started").last?.contains("SIGBUS") == true, "\(bench.events("started"))")
    let times = bench.times
    #expect(Set(times).isSuperset(of: durable) && Set(times).count == times.count)
    #expect(eventually(within: .seconds(20)) { bench.feeder.isFinished })
    #expect(bench.hasStored(durable.count + 1))
    #expect(bench.stopsInGoodOrder())
  }
}
