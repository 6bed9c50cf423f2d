import Testing

@testable import EventLoop

@Suite struct BackgroundTaskTests {
  @Test func theResultArrivesOnceOnTheLoopAfterTheStart() throws {
    let loop = try EventLoop()
    var results: [Int] = []
    let task = try BackgroundTask(
      "test", loop: loop, { 41 + 1 },
      completion: { value in
        results.append(value)
        loop.stop()
      })
    #expect(results.isEmpty)
    try loop.run()
    #expect(results == [42])
    withExtendedLifetime(task) {}
  }

  @Test func nothingIsCalledAfterItIsReleased() throws {
    let loop = try EventLoop()
    var results: [Int] = []
    do {
      let task = try BackgroundTask(
        "test", loop: loop, { 1 },
        completion: { value in results.append(value) })
      withExtendedLifetime(task) {}
    }
    // Another one ends later than the first, and ends the loop.
    let last = try BackgroundTask("last", loop: loop, { 2 }, completion: { _ in loop.stop() })
    try loop.run()
    #expect(results.isEmpty)
    withExtendedLifetime(last) {}
  }

  @Test func aTaskMayBeReleasedByItsCompletion() throws {
    let loop = try EventLoop()
    var task: BackgroundTask<String>?
    task = try BackgroundTask(
      "test", loop: loop, { "done" },
      completion: { _ in
        task = nil
        loop.stop()
      })
    try loop.run()
    #expect(task == nil)
  }
}
