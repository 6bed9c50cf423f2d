import Database
import EventLoop
import Glibc
import HTTPServer
import Quantities
import System
import WebAccess

/// A small receiving server for trials, tests and one household.
///
/// `POST /dump` and `POST /api/input` accept Overland bodies and GeoJSON FeatureCollections, `POST /pub` and
/// `POST /owntracks` one message of OwnTracks. `GET /coordinates` and `GET /status` respond like Trace's server.
/// `GET /` is a page with the map of each device, served by ``CollectorPage``.
///
/// All data is in the data directory: `collector.db` (table `features`, view `location`) and `raw/` (received bodies, at
/// most 256 MB).
public final class Collector {
  /// The address on which it listens, with the port that the kernel chose.
  public var address: ListenAddress { server.address }
  /// The TCP port; nil on a Unix socket.
  public var port: UInt16? { server.port }
  /// Warnings about the configuration, for the operator.
  public let warnings: [String]

  /// The response to every delivery, which is then not stored, as from a server in trouble; nil for normal operation.
  /// For the demo and tests.
  public var failure: HTTPResponse? {
    get { endpoints.failure }
    set { endpoints.failure = newValue }
  }

  private let endpoints: CollectorEndpoints
  private let server: HTTPServer
  private var lock: DataLock?

  /// Opens the data directory, creates it if its parent exists, and responds to requests as soon as the loop runs.
  ///
  /// Clients have to send `token` as `Authorization: Bearer` or as `?token=`; nil admits all clients. `settings` are part
  /// of every response to an Overland body. Bodies are archived for `rawDays` days; 0 disables the archive. `onNotice`
  /// receives messages for the operator. `page` is the directory of the page's files; `names` are further names of this
  /// host in addresses, such as that of a proxy. `now` is the clock for lookbacks, days, file names and times of receipt;
  /// by default the loop's.
  public init(
    loop: EventLoop, listen: ListenAddress = .tcp(address: "127.0.0.1", port: 8080), directory: String,
    token: String? = nil, settings: SettingsText? = nil, rawDays: Int = 7,
    page: String = PageFiles.usualFolder, names: [String] = [],
    onNotice: @escaping (String) -> Void = { _ in },
    now: (() -> Timestamp)? = nil
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
        "\(listen): without a token, anyone who can reach this address can read and add locations; set a token,"
          + " or listen on 127.0.0.1"
      ]
    if mkdir(directory, 0o750) != 0, errno != EEXIST {
      throw .directory(SystemError(call: "mkdir", subject: directory, number: errno))
    }
    lock = try DataLock(directory)
    let policy = AccessPolicy(
      token: token, deviceID: "collector",
      hosts: HostNames(hostName: ProcessEnvironment.hostName, further: names), words: CollectorPage.words)
    let served = CollectorPage(
      loop: loop, policy: policy, entrance: .init(requiresSignIn: token != nil, isLocal: listen.isLocal),
      files: PageFiles(folder: page), now: now ?? loop.clock.timestamp)
    let endpoints: CollectorEndpoints
    do {
      endpoints = CollectorEndpoints(
        table: try FeatureTable(path: directory + "/collector.db"),
        archive: rawDays > 0
          ? try RawArchive(
            directory: directory + "/raw",
            limits: RawArchive.Limits(age: .seconds(86_400 * Int64(min(rawDays, Self.mostRawDays))))) : nil,
        token: bearer, settings: settings, page: served, onNotice: onNotice, now: now ?? loop.clock.timestamp)
    } catch let error as DatabaseError {
      throw .database(error)
    } catch let error as SystemError {
      throw .directory(error)
    } catch {
      throw .directory(SystemError(call: "open", subject: directory, number: EIO))
    }
    self.endpoints = endpoints
    do {
      server = try HTTPServer(loop: loop, listen: listen, limits: Self.limits) { endpoints.answer($0) }
    } catch {
      throw .server(error)
    }
  }

  /// The longest time for which bodies can be archived, in days.
  public static let mostRawDays = 3650

  /// The limits of the server; the request time allows for a backlog that is sent over a slow mobile network.
  private static let limits = HTTPServer.Limits(
    body: 32 << 20, bodiesTogether: 64 << 20, connections: 64, idleTime: .seconds(30),
    requestTime: .seconds(600))

  /// Closes all connections. Requests that were answered with `ok` are stored.
  public func stop() {
    server.stop()
    lock = nil
  }
}
