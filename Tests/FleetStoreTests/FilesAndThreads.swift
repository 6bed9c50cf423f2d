import Foundation
import Synchronization

/// Removes a temporary folder with all files.
func removeFolder(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

/// Calls a function on several threads at once, and returns their results when all have ended.
func onThreads(_ count: Int, _ body: @escaping @Sendable () -> String) -> [String] {
  let results = Results()
  let ended = DispatchSemaphore(value: 0)
  for _ in 0..<count {
    Thread.detachNewThread {
      results.append(body())
      ended.signal()
    }
  }
  for _ in 0..<count { ended.wait() }
  return results.all
}

private final class Results: Sendable {
  private let list = Mutex<[String]>([])

  func append(_ text: String) { list.withLock { $0.append(text) } }
  var all: [String] { list.withLock { $0 } }
}
