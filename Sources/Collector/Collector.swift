import Database
import Glibc
import HTTPServer
import Quantities
import SystemLoop

/// A small receiving server for trials, tests and one household.
///
/// `POST /dump` and `POST /api/input` take Overland bodies and GeoJSON FeatureCollections, `POST /pub` and
/// `POST /owntracks` one message of OwnTracks; `GET /coordinates` and `GET /status` answer as Trace's server does. Everything is in the data directory: `collector.db` (table
/// `features`, view `location`) and `raw/` (bodies as they came, 256 MB at most).
public final class Collector {
  /// Where it listens; with the port that the kernel chose.
  public var address: ListenAddress { server.address }
  /// The TCP port; nil on a Unix socket.
  public var port: UInt16? { server.port }
  /// What the person who starts it should know; usually nothing.
  public let warnings: [String]

  private let server: HTTPServer
  private var lock: DataLock?

  /// Opens the data directory, making it when its parent is there, and begins to answer as soon as the loop runs.
  ///
  /// `token` is what clients must present, as `Authorization: Bearer` or as `?token=`; nil admits all. `now` is the
  /// clock for lookbacks, days, names and times of receipt. `settings` go with each answer to an Overland body. Bodies are
  /// kept for so many days; 0 keeps none. `onNotice` is told what the person who runs it may want to know.
  public init(
    loop: EventLoop, listen: ListenAddress = .tcp(address: "127.0.0.1", port: 8080), directory: String,
    token: String? = nil, settings: SettingsText? = nil, rawDays: Int = 7,
    onNotice: @escaping (String) -> Void = { _ in },
    now: @escaping () -> Timestamp = SystemClock.timestamp
  ) throws(CollectorError) {
    var bearer: BearerToken?
    if let token {
      bearer = BearerToken(token)
      guard bearer != nil else { throw .emptyToken }
    }
    warnings =
      listen.isLocal || token != nil
      ? []
      : [
        "\(listen): anyone who reaches this address can read and write the collected places; set a token,"
          + " or listen on 127.0.0.1"
      ]
    if mkdir(directory, 0o750) != 0, errno != EEXIST {
      throw .directory(SystemError(call: "mkdir", subject: directory, number: errno))
    }
    lock = try DataLock(directory)
    let endpoints: CollectorEndpoints
    do {
      endpoints = CollectorEndpoints(
        table: try FeatureTable(path: directory + "/collector.db"),
        archive: rawDays > 0
          ? try RawArchive(
            directory: directory + "/raw",
            limits: RawArchive.Limits(age: .seconds(86_400 * Int64(min(rawDays, Self.mostRawDays))))) : nil,
        token: bearer, settings: settings, onNotice: onNotice, now: now)
    } catch let error as DatabaseError {
      throw .database(error)
    } catch let error as SystemError {
      throw .directory(error)
    } catch {
      throw .directory(SystemError(call: "open", subject: directory, number: EIO))
    }
    do {
      server = try HTTPServer(loop: loop, listen: listen, limits: Self.limits) { endpoints.answer($0) }
    } catch {
      throw .server(error)
    }
  }

  /// The longest time in days for which bodies can be kept.
  public static let mostRawDays = 3650

  /// A backlog sent over a slow mobile network takes its time.
  private static let limits = HTTPServer.Limits(
    body: 32 << 20, bodiesTogether: 64 << 20, connections: 64, idleTime: .seconds(30),
    requestTime: .seconds(600))

  /// Closes every connection. What was answered with `ok` is stored.
  public func stop() {
    server.stop()
    lock = nil
  }
}
