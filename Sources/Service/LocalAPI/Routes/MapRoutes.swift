import HTTPServer
import WebAccess

/// The background of the page's map.
enum MapRoutes {
  static let tilePrefix = "/tiles/"
  private static let tilePath = "/tiles/Z/X/Y"

  static let table: [Route] = [
    Route(
      "/map", .guests(.positions), isOfPerson: false,
      get: { call throws(APIRefusal) in
        try call.shared.map.report(for: call.role)
      }),
    // The version in the query makes browsers load the tiles of another file.
    Route(
      tilePath, .guests(.positions), query: ["v"], isOfPerson: false,
      get: { call throws(APIRefusal) in
        try call.shared.map.tile(call.request.path.dropFirst(tilePrefix.count), for: call.role)
      }),
  ]

  /// The path of the route that answers a path: tiles have one for all.
  static func path(of path: String) -> String { path.hasPrefix(tilePrefix) ? tilePath : path }
}
