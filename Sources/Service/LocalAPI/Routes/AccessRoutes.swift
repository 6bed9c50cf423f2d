import HTTPServer
import JSON
import WebAccess

/// Sign-in, access and health.
enum AccessRoutes {
  static let table: [Route] = [
    Route("/access", .everyone, isOfPerson: false, get: access),
    Route("/healthz", .everyone, isOfPerson: false, get: health),
    Route(
      "/login", .everyone,
      post: { call throws(APIRefusal) in try call.shared.access.signIn(call.request, at: call.entrance) }),
    Route("/logout", .everyone, post: { _ in signOut }),
    Route("/access/code", .operators, post: code),
  ]

  private static var signOut: HTTPResponse {
    HTTPResponse(status: 204, contentType: "", body: [], headers: [AccessPolicy.signOut])
  }

  private struct Access: Encodable {
    struct Failure: Encodable {
      var address: String
      var reason: String
    }

    var role: String
    var guest: String
    var needs_sign_in: Bool
    var page_sign_in: Bool
    var listening: [String]?
    var failed: [Failure]?
    var device_id: String?
  }

  private static func access(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    let policy = call.shared.access.policy
    var access = Access(
      role: call.role.rawValue, guest: policy.guestMode.rawValue,
      needs_sign_in: call.entrance.requiresSignIn, page_sign_in: policy.admitsSignIn(at: call.entrance))
    if call.role != .none {
      access.device_id = call.controls.status.device_id
    }
    if call.role == .operator {
      access.listening = call.shared.listening
      access.failed = call.shared.failed.map { .init(address: $0.address, reason: $0.reason) }
    }
    return try json(access)
  }

  private struct Health: Encodable {
    var healthy: Bool
    var reasons: [String]?
  }

  /// The reasons are those of the status line; they name no position.
  private static func health(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    let faults = call.controls.healthFaults
    var response = try json(Health(healthy: faults.isEmpty, reasons: faults.isEmpty ? nil : faults))
    if !faults.isEmpty { response.status = 503 }
    return response
  }

  private struct Code: Encodable {
    var code: String
    var valid_s: Int64
  }

  /// A code that a person passes to a browser, which exchanges it for a cookie.
  private static func code(_ call: APICall) throws(APIRefusal) -> HTTPResponse {
    guard call.request.body.isEmpty else { throw APIRefusal(Problem(400, "expected no body")) }
    return try json(
      Code(code: call.shared.access.makeCode(), valid_s: AccessControl.codeLifetime.wholeSeconds))
  }

  private static func json(_ value: some Encodable) throws(APIRefusal) -> HTTPResponse {
    guard let body = try? SortedJSON.encode(value) else {
      throw APIRefusal(Problem(500, "the response cannot be encoded as JSON"))
    }
    return HTTPResponse(contentType: "application/json", body: body)
  }
}
