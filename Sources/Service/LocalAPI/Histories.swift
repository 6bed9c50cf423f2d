import Database
import EventLoop
import HTTPServer
import Quantities
import WebAccess

/// Limits the number of history requests in progress, over all sockets.
final class Histories {
  /// Limit of requests at a time. Each keeps the log open, which takes half a megabyte and three descriptors.
  static let limit = 4
  /// Limit of requests at a time while guests request another: the rest is for operators, however slowly guests read.
  static let guestLimit = 2

  /// One request in progress, counted until it is deallocated.
  private final class OpenHistory {
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

  /// Starts a history request of a role on the log of the logger; nil if its limit is reached. Throws the fault of an
  /// invalid request.
  func open(
    _ kind: any LogHistory.Type, _ request: HTTPRequest, by role: AccessRole, of logger: any LoggerControls
  ) throws(Problem) -> HTTPResponse? {
    guard count < (role == .operator ? Self.limit : Self.guestLimit) else { return nil }
    let openHistory = OpenHistory(try kind.init(request, of: logger), self)
    var response = HTTPResponse(contentType: openHistory.history.contentType, body: [])
    if let name = openHistory.history.fileName {
      response.headers.append(.init("Content-Disposition", "attachment; filename=\"\(name)\""))
    }
    response.slices = HTTPSlices { [loop, weak logger] in
      do throws(DatabaseError) { return try openHistory.history.piece { loop.now } } catch {
        logger?.historyFailed(error)
        throw error
      }
    }
    return response
  }
}
