import Foundation
import HTTPServer
import Testing
@testable import WebAccess

/// The files of the page.
@Suite final class PageFilesTests {
  private let folder = NSTemporaryDirectory() + "outrider-page-\(UUID().uuidString)"
  private let text = String(repeating: "export const answer = 42\n", count: 100)

  init() throws {
    try FileManager.default.createDirectory(atPath: folder + "/web", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: folder + "/leaflet", withIntermediateDirectories: true)
    for (name, content) in [
      ("web/index.html", "<!DOCTYPE html>"), ("web/page.js", text), ("web/page.css", "a{}"),
      ("web/.hidden.js", "x"),
      ("web/notes.txt", "x"), ("secret.js", "secret"), ("leaflet/leaflet.css", "b{}"),
      ("leaflet/other.js", "x"),
    ] { try Data(content.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func files(tileOrigin: String? = nil) -> PageFiles {
    PageFiles(folder: folder + "/web", leaflet: folder + "/leaflet", tileOrigin: tileOrigin)
  }

  private func get(_ path: String, encoding: String? = nil, tag: String? = nil, of files: PageFiles? = nil)
    -> HTTPResponse?
  {
    var request = HTTPRequest(method: "GET", path: path)
    request.fields.acceptEncoding = encoding
    request.fields.ifNoneMatch = tag
    return (files ?? self.files()).response(to: request)
  }

  private func value(_ name: String, _ response: HTTPResponse?) -> String? {
    response?.headers.first { $0.name == name }?.value
  }

  @Test(arguments: [
    ("/", "text/html; charset=utf-8"), ("/page/index.html", "text/html; charset=utf-8"),
    ("/page/page.js", "text/javascript; charset=utf-8"), ("/page/page.css", "text/css; charset=utf-8"),
    ("/leaflet/leaflet.css", "text/css; charset=utf-8"),
  ])
  func everyFileHasItsTypeAndTheHeadersThatProtectIt(path: String, type: String) throws {
    let response = try #require(get(path))
    #expect(response.status == 200 && response.contentType == type && !response.body.isEmpty)
    #expect(
      value("Cache-Control", response) == "no-cache" && value("X-Content-Type-Options", response) == "nosniff"
    )
    #expect(
      value("Content-Security-Policy", response)
        == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
    #expect(value("Referrer-Policy", response) == "same-origin")
    #expect(value("Cross-Origin-Opener-Policy", response) == "same-origin")
    #expect(value("Permissions-Policy", response) == "geolocation=(), camera=(), microphone=()")
  }

  @Test(arguments: [
    "/page/", "/page/.", "/page/..", "/page/../secret.js", "/page/%2e%2e/secret.js", "/page/..%2fsecret.js",
    "/page//etc/passwd", "/page/.hidden.js", "/page/notes.txt", "/page/missing.js", "/page/page.js/",
    "/page/web/page.js", "/leaflet/other.js", "/leaflet/../web/page.js", "/leaflet/leaflet.esm.min.js",
    "/leaflet/leaflet.css.gz", "/status", "/Page/page.js", "/page/PAGE.js",
  ])
  func noOtherNameIsServed(path: String) { #expect(get(path) == nil) }

  @Test func anUnchangedFileIsNotSentAgain() throws {
    let files = files()
    let tag = try #require(value("ETag", get("/page/page.js", of: files)))
    #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
    for header in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
      let response = try #require(get("/page/page.js", tag: header, of: files))
      #expect(response.status == 304 && response.body.isEmpty && value("ETag", response) == tag)
    }
    #expect(get("/page/page.js", tag: "\"x\"", of: files)?.status == 200)
    #expect(value("ETag", get("/page/page.css", of: files)) != tag)
    try Data("changed".utf8).write(to: URL(fileURLWithPath: folder + "/web/page.js"))
    let changed = get("/page/page.js", tag: tag, of: files)
    #expect(changed?.status == 200 && changed?.body == Array("changed".utf8))
  }

  @Test(arguments: [
    (nil, false), ("", false), ("br", false), ("gzip", true), ("br, gzip;q=0.5", true), ("GZIP", true),
    ("*", true),
    ("gzip;q=0", false), ("gzip; q=0.0", false), ("gzipx", false),
  ])
  func aFileIsCompressedForClientsThatAcceptIt(encoding: String?, isPacked: Bool) throws {
    let response = try #require(get("/page/page.js", encoding: encoding))
    #expect((value("Content-Encoding", response) == "gzip") == isPacked)
    #expect(value("Vary", response) == "Accept-Encoding")
    var packed = HTTPRequest(method: "POST", path: "/", contentEncoding: isPacked ? "gzip" : nil)
    packed.body = response.body
    #expect(try packed.unpackedBody(limit: 1 << 20) == Array(text.utf8))
    #expect(!isPacked || response.body.count < text.utf8.count / 10)
  }

  @Test func theCompressedSiblingIsSentUnlessItIsOlder() throws {
    let sibling = folder + "/web/page.js.gz"
    try Data("packed".utf8).write(to: URL(fileURLWithPath: sibling))
    #expect(get("/page/page.js", encoding: "gzip")?.body == Array("packed".utf8))
    let past = Date(timeIntervalSince1970: 1_000_000)
    try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: sibling)
    #expect(get("/page/page.js", encoding: "gzip")?.body != Array("packed".utf8))
  }

  @Test func withoutItsFilesThePageSaysSo() throws {
    let response = try #require(
      PageFiles(folder: folder + "/nothing").response(to: HTTPRequest(method: "GET", path: "/")))
    #expect(response.status == 200 && response.contentType == "text/html; charset=utf-8")
    #expect(
      response.body.count < 300 && String(decoding: response.body, as: UTF8.self).contains("not installed"))
    #expect(value("Content-Security-Policy", response) != nil)
  }

  @Test func aServerOfTilesIsTheOnlyOtherOrigin() throws {
    let response = get("/", of: files(tileOrigin: "https://tile.example.org"))
    #expect(
      value("Content-Security-Policy", response)?.contains("img-src 'self' data: https://tile.example.org;")
        == true)
    #expect(value("Referrer-Policy", response) == "strict-origin-when-cross-origin")
  }
}
