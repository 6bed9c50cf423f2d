import Foundation
import Quantities
import Records
import TestSupport
import Testing
import Uplink

/// A server that keeps what it is sent by its bytes, answers as it is told, and watches what a delivery makes of that.
///
/// It may keep a batch, or a part of it, that it does not confirm: a good sender sends that again, byte for byte.
final class KeepingServer {
  enum Answer {
    /// Keeps the whole batch and says so.
    case confirm
    /// Keeps the first so many pieces, and answers with that.
    case refuse(ScriptedServer.Reply, keeping: Int = 0)
  }

  /// Keeps and confirms by these words.
  var confirmation = DeliveryTests.ok
  var decide: (_ number: Int, _ pieces: [String]) -> Answer = { _, _ in .confirm }
  /// How often each piece was kept, and in how many batches that were confirmed.
  private(set) var kept: [String: Int] = [:]
  private(set) var confirmed: [String: Int] = [:]
  /// What was written about: broken promises.
  private(set) var problems: [String] = []
  /// How long the delivery wanted to wait after each failure.
  private(set) var waits: [Duration] = []

  private unowned let bench: DeliveryTests.Bench
  private var delivery: Delivery?

  init(_ bench: DeliveryTests.Bench) {
    self.bench = bench
    bench.server.answer = { [unowned self] in answer($0) }
    bench.log.onAcknowledge = { [unowned self] through in
      let setAside = bench.log.setAside.count
      if through.rawValue > Int64(confirmed.count + setAside) {
        problems.append(
          "\(through.rawValue) acknowledged, \(confirmed.count) confirmed, \(setAside) set aside")
      }
    }
  }

  /// Delivers until everything is acknowledged, without the waiting after failures; false when that does not come.
  func serve(_ delivery: Delivery) throws -> Bool {
    self.delivery = delivery
    bench.loop.everyTurn { [weak self] now in self?.skipWait(now) }
    delivery.start()
    return try bench.loop.runUntilStopped(within: .seconds(60))
  }

  private func skipWait(_ now: Moment) {
    guard let delivery, bench.log.acknowledged != bench.log.records.last?.id else { return }
    switch delivery.machine.phase {
    case .backingOff(_, let until):
      if let until { waits.append(until - now) }
      delivery.sendNow()
    case .resting: delivery.sendNow()
    case .loading, .shortening, .committingBorder, .awaitingAcknowledgement, .posting: break
    }
  }

  private func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
    let pieces = Self.pieces(of: request)
    for piece in pieces where confirmed[piece] != nil { problems.append("sent again: \(piece)") }
    switch decide(bench.server.requests.count, pieces) {
    case .confirm:
      for piece in pieces {
        kept[piece, default: 0] += 1
        confirmed[piece, default: 0] += 1
      }
      return confirmation
    case .refuse(let reply, let count):
      for piece in pieces.prefix(count) { kept[piece, default: 0] += 1 }
      return reply
    }
  }

  /// The Features of `locations` as they came; of a bare request its query.
  static func pieces(of request: ScriptedServer.Request) -> [String] {
    guard !request.body.isEmpty else { return [String(request.line)] }
    return locations(request).components(separatedBy: #"{"type":"Feature","#).dropFirst().map {
      $0.hasSuffix(",") ? String($0.dropLast()) : $0
    }
  }

  /// What stands in `locations`, byte for byte.
  static func locations(_ request: ScriptedServer.Request) -> String {
    let text = String(decoding: request.body, as: UTF8.self)
    let rest = [#"],"current":"#, #"],"trip":"#].compactMap { text.range(of: $0)?.lowerBound }.min()
    return String(text[..<(rest ?? text.index(text.endIndex, offsetBy: -2))])
  }
}
