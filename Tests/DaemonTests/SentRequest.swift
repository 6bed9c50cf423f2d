import Foundation
import TestSupport

/// The content of an Overland request, as a server reads it.
struct SentRequest {
  /// `locations` byte for byte, up to its closing bracket.
  let locations: String
  /// Every record in a form that identifies it.
  let records: [String]
  /// The object `trip`; nil if there is none.
  let trip: [String: Any]?

  init(_ request: ScriptedServer.Request) throws {
    let text = String(decoding: request.body, as: UTF8.self)
    let ends = [#"],"current":"#, #"],"trip":"#].compactMap { text.range(of: $0)?.lowerBound }
    locations = String(text[..<(ends.min() ?? text.index(text.endIndex, offsetBy: -2))])
    let body = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
    trip = body?["trip"] as? [String: Any]
    records = try (body?["locations"] as? [Any] ?? []).map {
      String(decoding: try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys), as: UTF8.self)
    }
  }
}
