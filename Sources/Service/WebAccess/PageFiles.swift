import Glibc
import HTTPServer
import System

/// The files of the page, and those of Leaflet from its Debian package.
///
/// The names are listed once, when they are first requested; no other name is opened. Contents are read for every request,
/// so the page takes no memory.
public final class PageFiles {
  /// The largest file that is served, in bytes.
  private static let largest = 1 << 20
  /// The most files of the page.
  private static let mostFiles = 100
  private static let leafletNames: Set = [
    "leaflet.css", "leaflet.esm.js", "leaflet.esm.min.js", "leaflet-src.esm.js",
  ]
  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
    "webmanifest": "application/manifest+json", "json": "application/json",
  ]

  private struct Tag {
    var modified: timespec
    var size: Int64
    var text: String
  }

  /// The directory of the logger's page.
  public static var usualFolder: String { usualFolder(package: "outrider") }

  /// The directory of the page's files of a package.
  ///
  /// It is `$OUTRIDER_WEB`, `share/PACKAGE/web` of the program's prefix, `Sources/Page` above the program in a checkout, or
  /// `/usr/share/PACKAGE/web` of a package: the first of them with `index.html`.
  public static func usualFolder(package: String) -> String {
    let usual = "/usr/share/\(package)/web"
    var folders = [ProcessEnvironment.variable("OUTRIDER_WEB")].compactMap { $0 }
    var location = ProcessEnvironment.executable ?? ""
    if let slash = location.lastIndex(of: "/"), location[..<slash].hasSuffix("/bin") {
      folders.append("\(location[..<slash].dropLast(4))/share/\(package)/web")
    }
    while let slash = location.lastIndex(of: "/") {
      location = String(location[..<slash])
      folders.append("\(location)/Sources/Page")
    }
    return folders.first { access("\($0)/index.html", R_OK) == 0 } ?? usual
  }

  private let folder: String
  private let leaflet: String
  private let headers: [HTTPResponse.Header]
  private var names: (page: Set<String>, leaflet: Set<String>)?
  private var tags: [String: Tag] = [:]

  /// - Parameters:
  ///   - folder: the directory of the page's files, with `index.html`; it need not exist.
  ///   - leaflet: the directory of Leaflet.
  ///   - tileOrigin: the scheme, host and port of a server of map tiles, which the browser loads; nil for none.
  public init(
    folder: String, leaflet: String = "/usr/share/javascript/leaflet", tileOrigin: String? = nil
  ) {
    self.folder = folder
    self.leaflet = leaflet
    headers = Self.security(tileOrigin: tileOrigin)
  }

  /// The header fields of all pages: the browser loads nothing from elsewhere, and gives no other page access to this one.
  package static func security(tileOrigin: String?) -> [HTTPResponse.Header] {
    let images = (["'self'", "data:"] + [tileOrigin].compactMap { $0 }).joined(separator: " ")
    let policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src \(images); connect-src 'self'; "
      + "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    return [
      .init("Content-Security-Policy", policy), .init("X-Content-Type-Options", "nosniff"),
      .init("Cross-Origin-Opener-Policy", "same-origin"),
      .init("Permissions-Policy", "geolocation=(), camera=(), microphone=()"),
      .init("Referrer-Policy", tileOrigin == nil ? "same-origin" : "strict-origin-when-cross-origin"),
    ]
  }

  /// Returns the response to a path of the page; nil for a path of the API, and for a file that does not exist.
  package func response(to request: HTTPRequest) -> HTTPResponse? {
    let path = request.path
    if path == "/" { return file("index.html", in: folder, request) ?? absent }
    if names == nil { listNames() }
    for (prefix, directory, known) in [
      ("/page/", folder, names?.page), ("/leaflet/", leaflet, names?.leaflet),
    ] where path.hasPrefix(prefix) {
      let name = String(path.dropFirst(prefix.count))
      guard known?.contains(name) == true else { return nil }
      return file(name, in: directory, request)
    }
    return nil
  }

  /// True for a path that belongs to the page, whether or not the file exists.
  package static func isOfPage(_ path: String) -> Bool {
    path == "/" || path.hasPrefix("/page/") || path.hasPrefix("/leaflet/")
  }

  private func file(_ name: String, in directory: String, _ request: HTTPRequest) -> HTTPResponse? {
    let path = "\(directory)/\(name)"
    guard let ending = name.split(separator: ".").last, let type = Self.types[String(ending)],
      let bytes = try? FileBytes.read(path, limit: Self.largest)
    else { return nil }
    let tag = tag(of: path, bytes)
    var fields =
      headers + [.init("ETag", tag), .init("Cache-Control", "no-cache"), .init("Vary", "Accept-Encoding")]
    if Self.matches(request.fields.ifNoneMatch, tag) {
      return HTTPResponse(status: 304, contentType: "", body: [], headers: fields)
    }
    var body = bytes
    if Self.acceptsGzip(request.fields.acceptEncoding), let packed = packed(path, bytes) {
      fields.append(.init("Content-Encoding", "gzip"))
      body = packed
    }
    return HTTPResponse(contentType: type, body: body, headers: fields)
  }

  private var absent: HTTPResponse {
    let text = """
      <!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Outrider</title>\
      <p>The page of Outrider is not installed. The API works: see <a href="status">status</a>.</html>

      """
    return HTTPResponse(
      contentType: "text/html; charset=utf-8", body: Array(text.utf8),
      headers: headers + [.init("Cache-Control", "no-store")])
  }

  /// The compressed sibling of a file, unless it is older; else the compressed bytes.
  private func packed(_ path: String, _ bytes: [UInt8]) -> [UInt8]? {
    if let original = Self.status(path), let sibling = Self.status("\(path).gz"),
      sibling.st_mtim.tv_sec >= original.st_mtim.tv_sec,
      let packed = try? FileBytes.read("\(path).gz", limit: Self.largest)
    {
      return packed
    }
    return Gzip.pack(bytes)
  }

  /// The entity tag of a file, computed when it is first requested or has changed.
  private func tag(of path: String, _ bytes: [UInt8]) -> String {
    let status = Self.status(path)
    if let status, let known = tags[path], known.size == status.st_size,
      known.modified.tv_sec == status.st_mtim.tv_sec, known.modified.tv_nsec == status.st_mtim.tv_nsec
    {
      return known.text
    }
    let code = HMAC.code(of: bytes, key: Array("outrider page".utf8)).prefix(8)
    let text = "\"\(code.map { String($0, radix: 36) }.joined(separator: "-"))\""
    if let status { tags[path] = Tag(modified: status.st_mtim, size: Int64(status.st_size), text: text) }
    return text
  }

  private func listNames() {
    let page = Self.files(in: folder).filter { name in
      Self.types.keys.contains { name.hasSuffix(".\($0)") } && !name.hasPrefix(".")
    }
    names = (Set(page.prefix(Self.mostFiles)), Self.leafletNames)
  }

  private static func files(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names.sorted()
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  /// True if `If-None-Match` contains the tag (RFC 9110 section 13.1.2).
  private static func matches(_ header: String?, _ tag: String) -> Bool {
    guard let header else { return false }
    return header.split(separator: ",").contains { item in
      var item = item.drop { $0 == " " }
      if item.hasPrefix("W/") { item = item.dropFirst(2) }
      while item.hasSuffix(" ") { item = item.dropLast() }
      return item == tag || item == "*"
    }
  }

  /// True if `Accept-Encoding` names gzip without excluding it (RFC 9110 section 12.5.3).
  private static func acceptsGzip(_ header: String?) -> Bool {
    (header ?? "").split(separator: ",").contains { item in
      let parts = item.lowercased().split(separator: ";").map { $0.filter { $0 != " " } }
      guard let name = parts.first, name == "gzip" || name == "*" else { return false }
      guard let weight = parts.dropFirst().first(where: { $0.hasPrefix("q=") }) else { return true }
      return Double(weight.dropFirst(2)).map { $0 > 0 } ?? false
    }
  }
}
