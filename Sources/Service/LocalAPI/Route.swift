import EventLoop
import HTTPServer
import Quantities
import WebAccess

/// One path of the API: its methods, its query parameters, and who may use it.
struct Route {
  /// Who may use a route.
  enum Audience {
    /// Everyone, without a sign-in.
    case everyone
    /// Whoever has signed in, and guests from this mode on with GET.
    case guests(GuestMode)
    /// Whoever has signed in.
    case operators
  }

  typealias Handler = @Sendable (APICall) throws(APIRefusal) -> HTTPResponse

  let path: String
  let audience: Audience
  let query: [String]
  private let get: Handler?
  private let patch: Handler?
  private let post: Handler?
  /// True if a request counts as one of a person, which keeps the host awake.
  let isOfPerson: Bool

  init(
    _ path: String, _ audience: Audience, query: [String] = [], isOfPerson: Bool = true,
    get: Handler? = nil, patch: Handler? = nil, post: Handler? = nil
  ) {
    self.path = path
    self.audience = audience
    self.query = query
    self.get = get
    self.patch = patch
    self.post = post
    self.isOfPerson = isOfPerson
  }

  private func handler(of method: String) -> Handler? {
    switch method {
    case "GET": get
    case "PATCH": patch
    case "POST": post
    default: nil
    }
  }

  var isPublic: Bool {
    if case .everyone = audience { true } else { false }
  }

  /// True if a role may use the route with a method.
  func admits(_ role: AccessRole, method: String) -> Bool {
    switch (audience, role) {
    case (.everyone, _), (_, .operator): true
    case (.guests(let least), .status): method == "GET" && least == .status
    case (.guests(let least), .positions): method == "GET" && least != .off
    case (.guests, .none), (.operators, _): false
    }
  }

  /// Returns the handler of a request without its body; throws the response to an unsuitable one.
  static func handler(
    of request: HTTPRequest, in routes: [String: Route], by role: AccessRole
  ) throws(APIRefusal) -> Handler {
    guard let route = routes[MapRoutes.path(of: request.path)] else {
      // Everybody may know the paths, but only after the sign-in, as for all others.
      guard role == .operator else { throw .unauthorized(token: AccessPolicy.Words.logger.token) }
      let known = routes.keys.sorted().joined(separator: ", ")
      throw APIRefusal(Problem(404, "no such path; available: \(known)"))
    }
    // A response to HEAD is the one to GET, without its body, which the server omits (RFC 9110 section 9.3.2).
    let method = request.method == "HEAD" ? "GET" : request.method
    guard route.admits(role, method: method) else {
      throw .unauthorized(token: AccessPolicy.Words.logger.token)
    }
    guard let handler = route.handler(of: method) else {
      let allowed = ["GET", "PATCH", "POST"].filter { route.handler(of: $0) != nil }
      throw APIRefusal(
        Problem(405, "\(request.path) requires \(allowed.joined(separator: " or "))"),
        headers: [.init("Allow", allowed.joined(separator: ", "))])
    }
    if let unknown = request.query.first(where: { !route.query.contains($0.name) }) {
      let known = route.query.joined(separator: ", ")
      let remedy = known.isEmpty ? "\(request.path) has none" : "available: \(known)"
      throw APIRefusal(Problem(400, "no query parameter \"\(unknown.name)\"; \(remedy)"))
    }
    let names = request.query.map(\.name)
    if let index = names.indices.first(where: { names[..<$0].contains(names[$0]) }) {
      throw APIRefusal(Problem(400, "the query parameter \"\(names[index])\" is given twice"))
    }
    return handler
  }
}

/// An admitted request, with what its handler may use.
struct APICall {
  let request: HTTPRequest
  let role: AccessRole
  let entrance: AccessPolicy.Entrance
  let controls: any LoggerControls
  /// The parts of the API that several requests share.
  let shared: SharedParts
}

/// The parts of the API that all sockets share.
final class SharedParts {
  let histories: Histories
  let stream: EventStream
  let access: AccessControl
  private(set) var page: PageFiles?
  let map: MapBackground
  /// True from a change of the TCP address until it is in force.
  var isAddressChanging = false
  /// The addresses that are served, and those that could not be opened with the reason.
  var listening: [String] = []
  var failed: [(address: String, reason: String)] = []

  init(loop: EventLoop, _ rules: AccessRules) {
    histories = Histories(loop: loop)
    stream = EventStream(loop: loop)
    access = AccessControl(loop: loop, policy: rules.policy)
    page = rules.page
    map = MapBackground(loop: loop, options: rules.map)
  }

  /// Follows changed rules.
  func follow(_ rules: AccessRules) {
    access.follow(rules.policy)
    followPage(rules)
  }

  /// Follows a changed page or map.
  func followPage(_ rules: AccessRules) {
    page = rules.page
    map.follow(rules.map)
  }
}

/// The rules of access to the API, the page that it serves, and the map of the page.
public struct AccessRules {
  public var policy: AccessPolicy
  /// The files of the page; nil if there is no page.
  public var page: PageFiles?
  public var map: MapOptions

  public init(policy: AccessPolicy, page: PageFiles? = nil, map: MapOptions = MapOptions()) {
    self.policy = policy
    self.page = page
    self.map = map
  }
}
