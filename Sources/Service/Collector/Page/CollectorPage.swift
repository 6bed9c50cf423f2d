import Database
import EventLoop
import FoundationEssentials
import HTTPServer
import Quantities
import System
import WebAccess

/// The page of the collector with its routes: sign-in, devices and tracks.
///
/// | Request | Response |
/// | --- | --- |
/// | `GET /`, `/page/NAME`, `/leaflet/NAME` | the page of the logger, which shows the map only |
/// | `GET /access` | role and sign-in, with `"serves":"collector"` |
/// | `POST /login`, `POST /logout` | exchange the token for a cookie; end a sign-in |
/// | `GET /devices` | the devices with the time of their first and last location |
/// | `GET /track?device=…` | a ``CollectedTrack``, streamed |
final class CollectorPage {
  /// Limit of the tracks that are read at a time.
  static let mostTracks = 8

  private let access: AccessControl
  private let entrance: AccessPolicy.Entrance
  private let files: PageFiles
  private let now: () -> Timestamp
  private let tracks = Count()

  /// The number of tracks being read.
  private final class Count {
    var value = 0
  }

  /// One track being read, counted until it is deallocated.
  private final class OpenTrack {
    let track: CollectedTrack
    private let tracks: Count

    init(_ track: CollectedTrack, _ tracks: Count) {
      (self.track, self.tracks) = (track, tracks)
      tracks.value += 1
    }

    deinit { tracks.value -= 1 }
  }

  init(
    loop: EventLoop, policy: AccessPolicy, entrance: AccessPolicy.Entrance, files: PageFiles,
    now: @escaping () -> Timestamp
  ) {
    access = AccessControl(loop: loop, policy: policy)
    self.entrance = entrance
    self.files = files
    self.now = now
  }

  /// The words of the messages about access.
  static let words = AccessPolicy.Words(
    server: "collector", token: "--token", names: "name it with --name", longToken: "use a longer one")

  private static let methods = [
    "/access": "GET", "/devices": "GET", "/track": "GET", "/login": "POST", "/logout": "POST",
  ]

  /// True for a path that belongs to the page and its routes.
  static func serves(_ path: String) -> Bool { PageFiles.isOfPage(path) || methods[path] != nil }

  /// The response to a request for a path that ``serves(_:)`` is true for. `table` opens the table of features.
  func answer(_ request: HTTPRequest, table: () throws(DatabaseError) -> FeatureTable) -> HTTPResponse {
    do throws(APIRefusal) {
      return APIResponse.finished(try response(to: request, table))
    } catch {
      return APIResponse.finished(APIResponse.of(error))
    }
  }

  private func response(
    to request: HTTPRequest, _ table: () throws(DatabaseError) -> FeatureTable
  ) throws(APIRefusal) -> HTTPResponse {
    let path = request.path
    let isOfPage = PageFiles.isOfPage(path)
    let needsRole = path == "/devices" || path == "/track"
    var role = try access.role(of: request, at: entrance, isPublic: !needsRole)
    if let token = request.queryValue("token"), access.policy.matches(token: token) { role = .operator }
    guard !needsRole || role == .operator else {
      throw .unauthorized(token: Self.words.token)
    }
    let method = isOfPage ? "GET" : Self.methods[path] ?? "GET"
    guard request.method == method || method == "GET" && request.method == "HEAD" else {
      throw APIRefusal(Problem(405, "\(path) requires \(method)"), headers: [.init("Allow", method)])
    }
    switch path {
    case "/access": return accessReport(role)
    case "/login": return try access.signIn(request, at: entrance)
    case "/logout":
      return HTTPResponse(status: 204, contentType: "", body: [], headers: [AccessPolicy.signOut])
    case "/devices", "/track":
      do throws(Problem) {
        let table = try Self.open(table)
        return try path == "/track" ? track(request, table) : devices(table)
      } catch { throw APIRefusal(error) }
    default:
      guard let file = files.response(to: request) else {
        throw APIRefusal(Problem(404, "the page has no file of this name"))
      }
      return file
    }
  }

  private static func open(
    _ table: () throws(DatabaseError) -> FeatureTable
  ) throws(Problem) -> FeatureTable {
    do throws(DatabaseError) { return try table() } catch {
      throw Problem(503, "the database cannot be opened; retry later")
    }
  }

  private func accessReport(_ role: AccessRole) -> HTTPResponse {
    .json(
      #"{"guest":"off","needs_sign_in":\#(entrance.requiresSignIn),"#
        + #""page_sign_in":\#(access.policy.admitsSignIn(at: entrance)),"#
        + #""role":"\#(role.rawValue)","serves":"collector"}"#)
  }

  private func devices(_ table: FeatureTable) throws(Problem) -> HTTPResponse {
    let devices: [CollectedPoints.Device]
    do throws(DatabaseError) { devices = try CollectedPoints(table).devices() } catch {
      throw Problem(503, "the database cannot be read; retry later")
    }
    let time = now()
    var text: [UInt8] = []
    text.append("{\"time\":")
    text.append(iso8601: time)
    text.append(key: "zone")
    text.append("{\"name\":")
    text.appendJSONString(LocalTime.zoneName ?? "")
    text.append(key: "offset_s")
    text.append(LocalTime.aheadOfUTC(at: time).wholeSeconds)
    text.append("},\"devices\":[")
    for (index, device) in devices.prefix(CollectedPoints.mostDevices).enumerated() {
      text.append(index == 0 ? "{\"device\":" : ",\n{\"device\":")
      if let name = device.name { text.appendJSONString(name) } else { text.append("null") }
      text.append(key: "from")
      text.append(device.first)
      text.append(key: "to")
      text.append(device.last)
      text.append("}")
    }
    text.append("]}\n")
    return HTTPResponse(contentType: "application/json", body: text)
  }

  private func track(_ request: HTTPRequest, _ table: FeatureTable) throws(Problem) -> HTTPResponse {
    guard tracks.value < Self.mostTracks else {
      throw Problem(503, "\(Self.mostTracks) tracks are being read, the most at a time; retry later")
    }
    let open = OpenTrack(try CollectedTrack(request, of: table), tracks)
    var response = HTTPResponse(contentType: "application/json", body: [])
    response.slices = HTTPSlices { try open.track.next() }
    return response
  }
}
