import Foundation
import HTTPClient
import Quantities
import Uplink

/// The server of a simulated day: stores Features by their bytes and responds as scripted.
final class DayServer {
  /// The handling of a request.
  struct Answer {
    var outcome: HTTPOutcome
    /// The time until the response; after the timeout it is ignored.
    var after = Duration.milliseconds(200)
    /// True if the server stores the batch, whatever it responds.
    var isKept: Bool

    static func status(_ status: Int, _ body: String = "", isKept: Bool = false) -> Answer {
      var response = HTTPResponse(status: status)
      response.body = Array(body.utf8)
      return Answer(outcome: .response(response), isKept: isKept)
    }

    static let ok = status(201, #"{"result":"ok"}"#, isKept: true)
    static let unreachable = Answer(
      outcome: .failure(.unreachable(origin: "https://example.org", reason: "no route")), isKept: false)
  }

  /// One attempt.
  struct Attempt {
    var at: Moment
    var pieces: [String]
    var isKept: Bool
  }

  let name: String
  /// The response to a request at a time.
  var decide: (_ now: Moment, _ pieces: [String]) -> Answer
  private(set) var attempts: [Attempt] = []
  /// The number of times that every Feature was stored.
  private(set) var kept: [String: Int] = [:]
  /// Features in the order of their first arrival.
  private(set) var order: [String] = []

  init(_ name: String, _ decide: @escaping (Moment, [String]) -> Answer = { _, _ in .ok }) {
    self.name = name
    self.decide = decide
  }

  func take(_ body: [UInt8], now: Moment) -> Answer {
    let pieces = Self.pieces(body)
    let answer = decide(now, pieces)
    attempts.append(Attempt(at: now, pieces: pieces, isKept: answer.isKept))
    guard answer.isKept else { return answer }
    for piece in pieces {
      if kept[piece, default: 0] == 0 { order.append(piece) }
      kept[piece, default: 0] += 1
    }
    return answer
  }

  /// The Features of `locations`, byte for byte; those nested in a trip are a part of it.
  static func pieces(_ body: [UInt8]) -> [String] {
    let text = String(decoding: body, as: UTF8.self)
    guard text.hasPrefix(#"{"locations":["#), text.hasSuffix("]"), text.utf8.count > 32 else { return [] }
    return text.dropFirst(32).dropLast().components(separatedBy: #",{"type":"Feature","#)
  }

  /// The number of Features that were stored more than once.
  var twice: Int { kept.values.filter { $0 > 1 }.count }
}
