import Database
import HTTPServer
import Quantities
import SystemLoop

/// The histories that are being told, on whichever socket.
final class Histories {
  /// Told at a time: each holds the log open, which takes half a megabyte and three descriptors.
  static let limit = 4

  /// One that is being told; its place is free when it goes.
  private final class Telling {
    let history: any LogHistory
    private let histories: Histories

    init(_ history: any LogHistory, _ histories: Histories) {
      self.history = history
      self.histories = histories
      histories.count += 1
    }

    deinit { histories.count -= 1 }
  }

  private let loop: EventLoop
  private var count = 0

  init(loop: EventLoop) { self.loop = loop }

  /// Begins to tell a history of the logger's log; nil when there is no place. Throws what is wrong with the
  /// question.
  func open(
    _ kind: any LogHistory.Type, _ request: HTTPRequest, of logger: any LoggerControls
  ) throws(Problem) -> HTTPSlices? {
    guard count < Self.limit else { return nil }
    let telling = Telling(try kind.init(request, of: logger), self)
    return HTTPSlices { [loop, weak logger] in
      do throws(DatabaseError) { return try telling.history.piece { loop.now } } catch {
        logger?.historyFailed(error)
        throw error
      }
    }
  }
}
