import EventLoop
import HTTPServer
import FleetRecords
import Quantities
import TestSupport

@testable import outrider_collector

/// An ingest server on loopback with a store in memory.
final class IngestBench {
  let http: HTTPBench
  let store: MemoryStore
  let server: IngestServer

  init(_ change: (inout IngestServer.Settings) -> Void = { _ in }) throws {
    http = try HTTPBench()
    store = MemoryStore(loop: http.loop)
    store.permit("good", .device(DeviceNumber(1)))
    store.permit("other", .device(DeviceNumber(2)))
    store.permit("disabled", .disabled)
    store.permit("enrol", .enrol(cohort: "field"))
    store.permit("read", .read)
    store.permit("operate", .operate)
    var settings = IngestServer.Settings(listen: .tcp(address: "127.0.0.1", port: 0))
    settings.seed = 7
    change(&settings)
    server = try IngestServer(
      loop: http.loop, store: store, settings: settings, furtherMetrics: { "further 1\n" })
  }

  var port: UInt16 {
    guard case .tcp(_, let port) = server.address else { return 0 }
    return port
  }

  var metricsPort: UInt16 {
    guard case .tcp(_, let port) = server.metricsAddress else { return 0 }
    return port
  }

  func ask(
    _ method: String = "POST", _ path: String = "/api/v1/batches", token: String? = "good",
    headers: [String] = [], body: [UInt8]? = nil
  ) throws -> HTTPAnswer {
    let authorization = token.map { ["Authorization: Bearer \($0)"] } ?? []
    return try http.ask(port, method, path, headers: authorization + headers, body: body)
  }

  func client() throws -> RawHTTPClient { try RawHTTPClient(loop: http.loop, port: port) }

  /// A body of the profile with locations that have these numbers.
  static func body(_ numbers: ClosedRange<Int>) -> [UInt8] {
    let features = numbers.map { number in
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.3619121,52.5418194]},"properties":{"#
        + #""timestamp":"2026-11-22T17:04:41.250Z","record":\#(number),"speed":5.127,"device_id":"van-17"}}"#
    }
    return Array(
      (#"{"locations":[\#(features.joined(separator: ","))],"log":"6b1f6a2e-0000-4000-8000-00000000abcd","#
        + #""from":\#(numbers.lowerBound),"through":\#(numbers.upperBound)}"#).utf8)
  }

  static func request(_ body: [UInt8], token: String = "good", headers: [String] = []) -> [UInt8] {
    RawHTTPClient.request(
      "POST", "/api/v1/batches", headers: ["Authorization: Bearer \(token)"] + headers, body: body)
  }
}
