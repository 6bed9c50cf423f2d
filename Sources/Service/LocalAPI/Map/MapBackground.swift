import EventLoop
import HTTPServer
import JSON
import Quantities
import WebAccess

/// What the map of the page shows first, and its background.
public struct MapOptions: Equatable, Sendable {
  /// The source of the background.
  public enum Tiles: Equatable, Sendable {
    case none
    /// The path of an MBTiles file.
    case file(String)
    /// The template of a server's addresses, and its origin.
    case server(template: String, origin: String)
  }

  public var tiles: Tiles
  public var attribution: String?
  public var maxZoom: Int?
  public var lookback: Duration
  public var minPathLength: Int

  public init(
    tiles: Tiles = .none, attribution: String? = nil, maxZoom: Int? = nil,
    lookback: Duration = .seconds(86_400),
    minPathLength: Int = 10
  ) {
    self.tiles = tiles
    self.attribution = attribution
    self.maxZoom = maxZoom
    self.lookback = lookback
    self.minPathLength = minPathLength
  }

  /// The origin that the page may load images from; nil for none but its own.
  public var tileOrigin: String? { if case .server(_, let origin) = tiles { origin } else { nil } }
}

/// The background of the map: `GET /map` and `GET /tiles/Z/X/Y`.
final class MapBackground {
  /// The zoom of tiles if nobody knows it.
  private static let usualMaxZoom = 19
  /// The time without requests after which the file is closed.
  private static let idleTime = Duration.seconds(60)

  private let loop: EventLoop
  private var options: MapOptions
  private var file: TileFile?
  private var timer: LoopTimer?

  init(loop: EventLoop, options: MapOptions) {
    self.loop = loop
    self.options = options
    follow(options)
  }

  /// Follows changed options.
  func follow(_ options: MapOptions) {
    stop()
    self.options = options
    file = if case .file(let path) = options.tiles { TileFile(path: path) } else { nil }
  }

  /// Closes the file.
  func stop() {
    file?.close()
    if let timer { loop.removeTimer(timer) }
    timer = nil
  }

  private struct Report: Encodable {
    var tiles: String?
    var attribution: String?
    var min_zoom: Int?
    var max_zoom: Int?
    var bounds: [Double]?
    var problem: String?
    var lookback_s: Int64
    var min_path_length: Int
  }

  /// The response to `GET /map`. Guests do not get the reason of a fault, because it contains a path.
  func report(for role: AccessRole) throws(APIRefusal) -> HTTPResponse {
    var report = Report(lookback_s: options.lookback.wholeSeconds, min_path_length: options.minPathLength)
    switch options.tiles {
    case .none: break
    case .server(let template, _):
      report.tiles = template
      report.attribution = options.attribution
      report.max_zoom = options.maxZoom ?? Self.usualMaxZoom
    case .file:
      do throws(TileFile.Fault) {
        let facts = try file?.facts()
        report.tiles = "tiles/{z}/{x}/{y}?v=\(String(file?.version ?? 0, radix: 36))"
        report.attribution = options.attribution ?? facts?.attribution
        report.min_zoom = facts?.minZoom
        report.max_zoom = options.maxZoom ?? facts?.maxZoom ?? Self.usualMaxZoom
        report.bounds = facts?.bounds
        closeLater()
      } catch {
        report.problem = role == .operator ? error.description : "the map of the device cannot be read"
      }
    }
    guard let body = try? SortedJSON.encode(report) else {
      throw APIRefusal(Problem(500, "the response cannot be encoded as JSON"))
    }
    return HTTPResponse(contentType: "application/json", body: body)
  }

  /// The response to a request for a tile. The file is read when it is the client's turn: one tile per turn of the loop.
  func tile(_ path: Substring, for role: AccessRole) throws(APIRefusal) -> HTTPResponse {
    guard let position = TileFile.Position(path) else {
      throw APIRefusal(
        Problem(
          400, "expected /tiles/Z/X/Y, with Z up to \(TileFile.Position.largestZoom), X and Y below 2^Z"))
    }
    guard let file else { throw APIRefusal(Problem(404, "map.tiles names no file")) }
    return .later(
      HTTPWork { [self] in
        closeLater()
        return APIResponse.finished(Self.response(file, position, role))
      })
  }

  private static func response(_ file: TileFile, _ position: TileFile.Position, _ role: AccessRole)
    -> HTTPResponse
  {
    let lasting = [HTTPResponse.Header("Cache-Control", "private, max-age=604800")]
    do throws(TileFile.Fault) {
      guard let tile = try file.tile(position) else {
        return HTTPResponse(status: 204, contentType: "", body: [], headers: lasting)
      }
      return HTTPResponse(contentType: tile.type, body: tile.bytes, headers: lasting)
    } catch {
      let detail = role == .operator ? error.description : "the map of the device cannot be read"
      return APIResponse.of(Problem(error.isVector ? 415 : 503, detail))
    }
  }

  /// Closes the file some time after the last request, in a wake-up that happens anyway if there is one.
  private func closeLater() {
    if timer == nil { timer = loop.addTimer("map file") { [weak self] _ in self?.stop() } }
    timer?.arm(within: WakeWindow(from: loop.now + Self.idleTime, orLater: .seconds(600)))
  }
}
