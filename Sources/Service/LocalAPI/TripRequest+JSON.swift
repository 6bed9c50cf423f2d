import JSON

extension TripRequest {
  private struct Body: Codable {
    var action: String
    var mode: String?
  }

  /// Reads `{"action": …, "mode": …}`; nil for anything else.
  public init?(json: [UInt8]) {
    guard let body = try? CheckedJSON(json).decode(Body.self) else { return nil }
    switch (body.action, body.mode) {
    case ("start", let mode): self = .start(mode: mode)
    case ("stop", nil): self = .stop
    case ("mode", let mode?): self = .mode(mode)
    default: return nil
    }
  }

  /// The JSON that ``init(json:)`` reads; empty for ``status``.
  public var json: [UInt8] {
    let body: Body
    switch self {
    case .start(let mode): body = Body(action: "start", mode: mode)
    case .stop: body = Body(action: "stop", mode: nil)
    case .mode(let mode): body = Body(action: "mode", mode: mode)
    case .status: return []
    }
    return (try? SortedJSON.encode(body)) ?? []
  }
}
