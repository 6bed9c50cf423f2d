import Foundation
import Quantities
import Records
import TestSupport
import Testing
import Uplink

/// A server that stores records by their bytes, replies as configured, and checks the behaviour of a delivery.
///
/// It may store a batch, or a part of it, without confirming it: a correct sender sends that again, byte for byte.
final class KeepingServer {
  enum Answer {
    /// Stores the whole batch and confirms it.
    case confirm
    /// Stores the first pieces, and sends the reply.
    case refuse(ScriptedServer.Reply, keeping: Int = 0)
  }

  /// The response that confirms a batch.
  var confirmation = DeliveryTests.ok
  var decide: (_ number: Int, _ pieces: [String]) -> Answer = { _, _ in .confirm }
  /// The number of times that each piece was stored, and that it was confirmed.
  private(set) var kept: [String: Int] = [:]
  private(set) var confirmed: [String: Int] = [:]
  /// The detected faults of the delivery.
  private(set) var problems: [String] = []
  /// The back-off after every failure.
  private(set) var waits: [Duration] = []

  private unowned let bench: DeliveryTests.Bench
  private var delivery: Delivery?

  init(_ bench: DeliveryTests.Bench) {
    self.bench = bench
    bench.server.answer = { [unowned self] in answer($0) }
    bench.log.onAcknowledge = { [unowned self] through in
      let setAside = bench.log.setAside.count + bench.log.held.count
      if through.rawValue > Int64(confirmed.count + setAside) {
        problems.append(
          "\(through.rawValue) acknowledged, \(confirmed.count) confirmed, \(setAside) set aside")
      }
    }
  }

  /// Delivers until all records are acknowledged, without waiting after failures; returns false on a timeout.
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
    case .idle: delivery.sendNow()
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting: break
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

  /// Returns the Features of `locations` as received, or the request line of a request without a body.
  static func pieces(of request: ScriptedServer.Request) -> [String] {
    guard !request.body.isEmpty else { return [String(request.line)] }
    return locations(request).components(separatedBy: #"{"type":"Feature","#).dropFirst().map {
      $0.hasSuffix(",") ? String($0.dropLast()) : $0
    }
  }

  /// Returns the content of `locations`, byte for byte.
  static func locations(_ request: ScriptedServer.Request) -> String {
    let text = String(decoding: request.body, as: UTF8.self)
    let rest = [#"],"current":"#, #"],"trip":"#].compactMap { text.range(of: $0)?.lowerBound }.min()
    return String(text[..<(rest ?? text.index(text.endIndex, offsetBy: -2))])
  }
}
