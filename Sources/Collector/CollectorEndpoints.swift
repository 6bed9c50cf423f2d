import Database
import HTTPServer
import Quantities
import SystemLoop

/// What the collector answers to each request.
final class CollectorEndpoints {
  /// The most points that one answer may hold.
  static let pointLimit = 500_000

  /// Bytes of a body once it is unpacked.
  static let bodyLimit = 32 << 20

  private let path: String
  /// Nil only while it is opened anew.
  private var openTable: FeatureTable?
  /// Nil where no body is kept.
  private var archive: RawArchive?
  private let settings: SettingsText?
  private let onNotice: (String) -> Void
  /// Query items that mean nothing, as far as that was said.
  private var itemsTold: Set<String> = []
  private let token: BearerToken?
  private let now: () -> Timestamp
  private let reader = FeatureReader()
  private let ownTracks = OwnTracksReader()
  private let start: Timestamp
  private var bodies = 0
  private var saved = 0
  private var duplicates = 0
  private var unarchived = 0

  init(
    table: FeatureTable, archive: RawArchive?, token: BearerToken?, settings: SettingsText? = nil,
    onNotice: @escaping (String) -> Void = { _ in }, now: @escaping () -> Timestamp
  ) {
    self.settings = settings
    self.onNotice = onNotice
    path = table.connection.path
    openTable = table
    self.archive = archive
    self.token = token
    self.now = now
    start = now()
  }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    guard isAdmitted(request) else {
      return Self.error(
        "expected the token of this collector, as Authorization: Bearer or ?token=", status: 401,
        headers: [.init("WWW-Authenticate", "Bearer")])
    }
    let isReading = request.method == "GET" || request.method == "HEAD"
    switch request.path {
    case "/dump", "/api/input":
      return request.method == "POST" ? unpacked(request, take) : Self.wrongMethod("POST")
    case "/pub", "/owntracks":
      return request.method == "POST" ? unpacked(request, takeOwnTracks) : Self.wrongMethod("POST")
    case "/status": return isReading ? status() : Self.wrongMethod("GET, HEAD")
    case "/coordinates": return isReading ? coordinates(request) : Self.wrongMethod("GET, HEAD")
    default:
      return Self.error(
        "\(request.path): expected /dump, /api/input, /pub, /coordinates or /status", status: 404)
    }
  }

  private func isAdmitted(_ request: HTTPRequest) -> Bool {
    guard let token else { return true }
    return token.admits(request) || request.queryValue("token").map(token.matches) ?? false
  }

  // MARK: Taking

  private func unpacked(_ request: HTTPRequest, _ take: (HTTPRequest) -> HTTPResponse) -> HTTPResponse {
    var request = request
    do {
      request.body = try request.unpackedBody(limit: Self.bodyLimit)
    } catch {
      return Self.refusal(error)
    }
    return take(request)
  }

  /// The table in the file that has the name; a file that was deleted or replaced is begun anew.
  private func table() throws(DatabaseError) -> FeatureTable {
    if let openTable, openTable.isInPlace { return openTable }
    let wasOpen = openTable != nil
    // Closing takes the files beside it away, so that comes first.
    openTable = nil
    let table = try FeatureTable(path: path)
    openTable = table
    if wasOpen {
      onNotice("\(path) was deleted or replaced while the collector ran; what comes now is in a new file")
    }
    return table
  }

  private func take(_ request: HTTPRequest) -> HTTPResponse {
    let received = now()
    let ranges: [Range<Int>]
    do {
      ranges = try BodyScanner.features(in: request.body)
    } catch .tooManyFeatures(let limit) {
      return Self.error(BodyError.tooManyFeatures(limit: limit).description, status: 413)
    } catch {
      return Self.error(error.description, status: 400)
    }
    let fresh: Int
    do {
      let features = ranges.map { reader.feature(request.body[$0]) }
      fresh = features.isEmpty ? 0 : try table().store(features, receivedAt: received)
    } catch {
      return Self.unavailable(error)
    }
    note(request, fresh: fresh, of: ranges.count, at: received)
    let set = settings.map { #","set":\#($0.json)"# } ?? ""
    return .json(#"{"result":"ok","saved":\#(fresh)\#(set)}"#)
  }

  private func note(_ request: HTTPRequest, fresh: Int, of count: Int, at received: Timestamp) {
    bodies += 1
    saved += fresh
    duplicates += count - fresh
    do {
      try archive?.keep(request.body, at: received)
    } catch {
      // The records are safe: the sender must not send them again for the sake of the second copy.
      unarchived += 1
    }
  }

  /// One message of OwnTracks in its HTTP mode, answered as its recorder does: with a list for the client, empty here.
  private func takeOwnTracks(_ request: HTTPRequest) -> HTTPResponse {
    let received = now()
    switch ownTracks.read(request.body, owner: Self.owner(of: request)) {
    case .unreadable(let fault):
      let reason = fault.map { ": \($0)" } ?? ""
      return Self.error(#"expected one JSON object with "_type"\#(reason)"#, status: 400)
    case .other: return .json("[]")
    case .location(let feature):
      do {
        note(request, fresh: try table().store([feature], receivedAt: received), of: 1, at: received)
      } catch {
        return Self.unavailable(error)
      }
      return .json("[]")
    }
  }

  /// `user/device` by the query or, where that does not say, by the headers; either alone where there is no other.
  private static func owner(of request: HTTPRequest) -> String? {
    let pairs = [("u", request.limitUser), ("d", request.limitDevice)]
    let names = pairs.compactMap { item, header in
      [request.queryValue(item), header].compactMap { $0 }.first { !$0.isEmpty }
    }
    return names.isEmpty ? nil : names.joined(separator: "/")
  }

  // MARK: Telling

  private func status() -> HTTPResponse {
    .json(
      #"{"status":"ok","since":"\#(start.iso8601())","bodies":\#(bodies),"saved":\#(saved),"#
        + #""duplicates":\#(duplicates),"bodies_not_archived":\#(unarchived)}"#)
  }

  private func coordinates(_ request: HTTPRequest) -> HTTPResponse {
    let now = self.now()
    tellUnknown(request.query.map(\.name))
    let query: CoordinatesQuery
    do {
      query = try CoordinatesQuery(request, now: now)
    } catch {
      return Self.badQuery(error.message)
    }
    do {
      let points = try table().points(
        in: query.span(now: now), deviceID: query.deviceID, limit: Self.pointLimit + 1)
      guard points.count <= Self.pointLimit else {
        return Self.badQuery("more than \(Self.pointLimit) points: ask for a shorter time")
      }
      return HTTPResponse(contentType: "application/json", body: CoordinatesAnswer.json(points, query))
    } catch {
      return Self.unavailable(error)
    }
  }

  private static let mostItemsTold = 20

  /// What means nothing is ignored, and said once.
  private func tellUnknown(_ items: [String]) {
    for item in items where !CoordinatesQuery.items.contains(item) {
      guard itemsTold.count < Self.mostItemsTold, itemsTold.insert(item).inserted else { continue }
      let name = String(item.prefix(40)).unicodeScalars.filter { $0.value >= 0x20 && $0.value < 0x7F }
      onNotice(
        "/coordinates: the query item \(String(String.UnicodeScalarView(name))) is unknown and ignored")
    }
  }

  // MARK: Errors

  private static func error(
    _ message: String, status: Int, headers: [HTTPResponse.Header] = []
  ) -> HTTPResponse {
    .json(#"{"error":\#(jsonString(message))}"#, status: status, headers: headers)
  }

  private static func refusal(_ failure: HTTPRequest.UnpackingFailure) -> HTTPResponse {
    switch failure {
    case .unknownCoding(let coding):
      error("Content-Encoding \(coding): expected gzip, or a body that is not compressed", status: 415)
    case .damaged: error("Content-Encoding gzip: the body is damaged or cut short", status: 400)
    case .tooLarge(let limit):
      error(
        "Content-Encoding gzip: more than \(limit) bytes when unpacked: send smaller batches", status: 413)
    }
  }

  private static func badQuery(_ message: String) -> HTTPResponse {
    .json(#"{"status":"error","message":\#(jsonString(message))}"#, status: 400)
  }

  private static func wrongMethod(_ allowed: String) -> HTTPResponse {
    error("expected \(allowed)", status: 405, headers: [.init("Allow", allowed)])
  }

  /// Whatever the database refuses is not the sender's fault: the same batch is welcome later.
  private static func unavailable(_ error: DatabaseError) -> HTTPResponse {
    let (message, seconds) =
      switch error.kind {
      case .busy: ("the database is in use by another program", "5")
      case .full: ("no room left for the database", "60")
      case .unwritable: ("the database cannot be written", "60")
      case .damaged: ("the database is damaged", "600")
      case .other: ("the database refused", "60")
      }
    return Self.error("\(message): try again later", status: 503, headers: [.init("Retry-After", seconds)])
  }
}
