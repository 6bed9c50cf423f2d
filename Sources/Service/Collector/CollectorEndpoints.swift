import Database
import HTTPServer
import Quantities

/// Handles the requests to the collector.
final class CollectorEndpoints {
  /// The maximum number of points in one response.
  static let pointLimit = 500_000

  /// Largest body after decompression, in bytes.
  static let bodyLimit = 32 << 20

  /// The forms of bodies.
  private enum Form: String {
    case overland = "Overland"
    case ownTracks = "OwnTracks"
  }

  private struct Report: Hashable {
    let form: Form
    let drop: Drop
  }

  /// What was received since the start.
  private struct Counts {
    let start: Timestamp
    var bodies = 0
    var saved = 0
    var duplicates = 0
    var unarchived = 0
    /// Messages and Features that were not stored, by reason.
    var dropped: [Drop: Int] = [:]
    /// The forms and reasons that the operator knows.
    var reported: Set<Report> = []
  }

  private let path: String
  /// The table; nil only while it is being reopened.
  private var openTable: FeatureTable?
  /// The archive of bodies; nil if they are not archived.
  private var archive: RawArchive?
  private let settings: SettingsText?
  private let onNotice: (String) -> Void
  private let token: BearerToken?
  private let page: CollectorPage?
  private let now: () -> Timestamp
  private let reader = FeatureReader()
  private let ownTracks = OwnTracksReader()
  private var counts: Counts
  /// The response to every delivery instead of its storage; nil for normal operation.
  var failure: HTTPResponse?

  init(
    table: FeatureTable, archive: RawArchive?, token: BearerToken?, settings: SettingsText? = nil,
    page: CollectorPage? = nil, onNotice: @escaping (String) -> Void = { _ in },
    now: @escaping () -> Timestamp
  ) {
    self.settings = settings
    self.page = page
    self.onNotice = onNotice
    path = table.connection.path
    openTable = table
    self.archive = archive
    self.token = token
    self.now = now
    counts = Counts(start: now())
  }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    if let page, CollectorPage.serves(request.path) {
      return page.answer(request) { () throws(DatabaseError) in try table() }
    }
    guard isAdmitted(request) else {
      return Self.error(
        "missing or wrong token; send it as Authorization: Bearer TOKEN or as ?token=TOKEN", status: 401,
        headers: [.init("WWW-Authenticate", "Bearer")])
    }
    if request.method == "POST", let failure { return failure }
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
        "\(request.path): expected /dump, /api/input, /pub, /coordinates, /status, /devices or /track",
        status: 404)
    }
  }

  private func isAdmitted(_ request: HTTPRequest) -> Bool {
    guard let token else { return true }
    return token.admits(request) || request.queryValue("token").map(token.matches) ?? false
  }

  // MARK: Receiving

  private func unpacked(_ request: HTTPRequest, _ take: (HTTPRequest) -> HTTPResponse) -> HTTPResponse {
    var request = request
    do {
      request.body = try request.unpackedBody(limit: Self.bodyLimit)
    } catch {
      return Self.refusal(error)
    }
    return take(request)
  }

  /// The table in the file of that name; a file that was deleted or replaced is created again.
  private func table() throws(DatabaseError) -> FeatureTable {
    if let openTable, openTable.isInPlace { return openTable }
    let wasOpen = openTable != nil
    // Closing deletes the companion files, so it has to come first.
    openTable = nil
    let table = try FeatureTable(path: path)
    openTable = table
    if wasOpen {
      onNotice("\(path) was deleted or replaced while the collector was running; new data goes to a new file")
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
    var (features, drops): ([Feature], [(drop: Drop, deviceID: String?)]) = ([], [])
    for range in ranges {
      guard request.body[range].first == UInt8(ascii: "{") else {
        drops.append((.notAFeature, nil))
        continue
      }
      let feature = reader.feature(request.body[range])
      if let drop = Drop(feature) { drops.append((drop, feature.deviceID)) } else { features.append(feature) }
    }
    do {
      fresh = features.isEmpty ? 0 : try table().store(features, receivedAt: received)
    } catch {
      return Self.unavailable(error)
    }
    record(request, fresh: fresh, of: features.count, at: received)
    for (drop, deviceID) in drops { count(drop, .overland, from: deviceID) }
    let set = settings.map { #","set":\#($0.json)"# } ?? ""
    return .json(#"{"result":"ok","saved":\#(fresh)\#(set)}"#)
  }

  private func record(_ request: HTTPRequest, fresh: Int, of count: Int, at received: Timestamp) {
    counts.bodies += 1
    counts.saved += fresh
    counts.duplicates += count - fresh
    do {
      try archive?.keep(request.body, at: received)
    } catch {
      // The records are stored: the sender must not repeat them because the second copy failed.
      counts.unarchived += 1
    }
  }

  /// Stores messages of OwnTracks in HTTP mode. The response is a list, as from the OwnTracks Recorder; here it is empty.
  ///
  /// A client repeats what is not answered with success. So a message that can never be stored is confirmed, counted, and
  /// kept in the archive if it is a location. An encrypted one is rejected: its client can send it without encryption. In a
  /// list with a location it is only counted, because its client would repeat the location for ever.
  private func takeOwnTracks(_ request: HTTPRequest) -> HTTPResponse {
    let received = now()
    let outcomes: [OwnTracksReader.Outcome]
    switch ownTracks.read(request.body, owner: Self.owner(of: request)) {
    case .success(let read): outcomes = read
    case .failure(let fault): return Self.refusal(fault)
    }
    var (features, drops): ([Feature], [Drop]) = ([], [])
    for outcome in outcomes {
      switch outcome {
      case .location(let feature): features.append(feature)
      case .dropped(let drop): drops.append(drop)
      }
    }
    if !features.isEmpty || drops.contains(where: \.isLocation) {
      do {
        let fresh = features.isEmpty ? 0 : try table().store(features, receivedAt: received)
        record(request, fresh: fresh, of: features.count, at: received)
      } catch {
        return Self.unavailable(error)
      }
    }
    for drop in drops { count(drop, .ownTracks, from: Self.owner(of: request)) }
    return features.isEmpty && drops.contains(.encrypted)
      ? Self.error(Self.encrypted, status: 422) : .json("[]")
  }

  private static let encrypted =
    "the message is encrypted and cannot be read; remove the encryption key in the settings of the app"

  /// Counts a message that is not stored, and reports the first one of this form with this reason.
  private func count(_ drop: Drop, _ form: Form, from owner: String?) {
    counts.dropped[drop, default: 0] += 1
    guard counts.reported.insert(Report(form: form, drop: drop)).inserted else { return }
    let reason =
      switch drop {
      case .encrypted: "it is encrypted; remove the encryption key in the settings of the app"
      case .noTime: "it has no time between 1970 and 2199 (\(form == .overland ? "timestamp" : "tst"))"
      case .noPosition: "it has no position (\(form == .overland ? "geometry, a Point" : "lat, lon"))"
      case .notAFeature: "it is no object"
      case .type(let type): "messages of the type \(type) are not stored"
      }
    let name = owner.map { " from \(Self.printable($0))" } ?? ""
    let noun = form == .overland ? "Feature" : "message"
    onNotice(
      "\(form.rawValue): a \(noun)\(name) is dropped: \(reason); GET /status counts more of them")
  }

  /// The owner `user/device`, from the query or, if missing there, from the headers. If one of the two is missing, the
  /// other one alone.
  private static func owner(of request: HTTPRequest) -> String? {
    let pairs = [("u", request.limitUser), ("d", request.limitDevice)]
    let names = pairs.compactMap { item, header in
      [request.queryValue(item), header].compactMap { $0 }.first { !$0.isEmpty }
    }
    return names.isEmpty ? nil : names.joined(separator: "/")
  }

  // MARK: Queries

  private func status() -> HTTPResponse {
    .json(
      #"{"status":"ok","since":"\#(counts.start.iso8601())","bodies":\#(counts.bodies),"saved":\#(counts.saved),"#
        + #""duplicates":\#(counts.duplicates),"bodies_not_archived":\#(counts.unarchived)\#(dropped)}"#)
  }

  /// The dropped messages and Features as a member of the status; empty if there are none.
  private var dropped: String {
    guard !counts.dropped.isEmpty else { return "" }
    let rows = counts.dropped.sorted { $0.key.name < $1.key.name }.map { #""\#($0.key.name)":\#($0.value)"# }
    return #","dropped":{\#(rows.joined(separator: ","))}"#
  }

  private func coordinates(_ request: HTTPRequest) -> HTTPResponse {
    let now = self.now()
    if let item = request.query.map(\.name).first(where: { !CoordinatesQuery.items.contains($0) }) {
      let known = CoordinatesQuery.items.sorted().joined(separator: ", ")
      return Self.badQuery("\(Self.printable(item)): unknown item of the query; expected \(known)")
    }
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
        return Self.badQuery("more than \(Self.pointLimit) points; request a shorter time span")
      }
      return HTTPResponse(contentType: "application/json", body: CoordinatesAnswer.json(points, query))
    } catch {
      return Self.unavailable(error)
    }
  }

  /// The beginning of a text of a request in printable ASCII.
  private static func printable(_ text: String) -> String {
    let name = String(text.prefix(40)).unicodeScalars.filter { $0.value >= 0x20 && $0.value < 0x7F }
    return String(String.UnicodeScalarView(name))
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
      error("Content-Encoding \(coding): not supported; send gzip or an uncompressed body", status: 415)
    case .damaged: error("Content-Encoding gzip: the body is damaged or truncated", status: 400)
    case .bytesAfterEnd(let offset):
      error("Content-Encoding gzip: the bytes from \(offset) on are not gzip", status: 400)
    case .tooLarge(let limit):
      error(
        "Content-Encoding gzip: more than \(limit) bytes after decompression; send smaller batches",
        status: 413)
    }
  }

  private static func refusal(_ fault: OwnTracksReader.Fault) -> HTTPResponse {
    switch fault {
    case .unreadable(let fault):
      error(#"expected one JSON object with "_type"\#(fault.map { ": \($0)" } ?? "")"#, status: 400)
    case .notANumber(let key): error("\(key): expected a number", status: 400)
    case .tooMany(let limit):
      error("more than \(limit) messages in one body; send smaller batches", status: 413)
    }
  }

  private static func badQuery(_ message: String) -> HTTPResponse {
    .json(#"{"status":"error","message":\#(jsonString(message))}"#, status: 400)
  }

  private static func wrongMethod(_ allowed: String) -> HTTPResponse {
    error("expected \(allowed)", status: 405, headers: [.init("Allow", allowed)])
  }

  /// The response to an error of the database: the sender may repeat the same batch later.
  private static func unavailable(_ error: DatabaseError) -> HTTPResponse {
    let (message, seconds) =
      switch error.kind {
      case .busy: ("the database is in use by another program", "5")
      case .full: ("no space left for the database", "60")
      case .unwritable: ("the database cannot be written", "60")
      case .damaged: ("the database is damaged", "600")
      case .other: ("the database failed", "60")
      }
    return Self.error("\(message); retry later", status: 503, headers: [.init("Retry-After", seconds)])
  }
}
