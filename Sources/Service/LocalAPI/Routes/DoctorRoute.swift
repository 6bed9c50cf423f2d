import HTTPServer
import WebAccess

/// The request for the checks of the system, which run on another thread.
enum DoctorRoute {
  /// The response, once the checks have ended.
  private final class Pending {
    private var json: [UInt8]?
    weak var slices: HTTPSlices?

    func end(_ json: String) {
      self.json = Array(json.utf8)
      slices?.resume()
    }

    func next() -> HTTPSlices.Step {
      guard let json else { return .waits }
      guard !json.isEmpty else { return .ends }
      self.json = []
      return .bytes(json)
    }
  }

  static func answer(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    let pending = Pending()
    if let problem = call.controls.examineSystem({ [weak pending] in pending?.end($0) }) {
      throw APIRefusal(problem, headers: problem.status == 503 ? [.init("Retry-After", "5")] : [])
    }
    let slices = HTTPSlices(lasting: { pending.next() })
    pending.slices = slices
    var response = HTTPResponse(contentType: "application/json", body: [])
    response.slices = slices
    return response
  }
}
