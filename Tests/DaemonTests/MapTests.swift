import Database
import Foundation
import HTTPServer
import LocalAPI
import TestSupport
import Testing
@testable import Daemon

/// The background of the page's map on a running logger.
@Suite struct MapTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]

  private static func makeTiles(_ path: String) throws {
    let connection = try Connection(path: path)
    try connection.execute(
      """
      CREATE TABLE metadata (name TEXT, value TEXT);
      INSERT INTO metadata VALUES ('minzoom', '0'), ('maxzoom', '12'), ('bounds', '13,52,14,53'), ('attribution', 'OSM');
      CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
      CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row);
      """)
    try connection.run("INSERT INTO tiles VALUES (1, 0, 1, ?)", [.blob(png)])
  }

  private static func json(_ answer: HTTPAnswer) -> [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(answer.body))) as? [String: Any] ?? [:]
  }

  @Test func tilesComeFromTheFileAndAMissingOneHasNoBody() throws {
    let bench = try HTTPBench()
    let path = "\(bench.directory)/city.mbtiles"
    try Self.makeTiles(path)
    let running = try LocalAPITests.logger(on: bench, extra: ["map.tiles=\(path)", "map.lookback=36h"])
    defer { running.logger.stop() }
    let map = Self.json(try LocalAPITests.ask(running, "GET", "/map"))
    #expect(
      (map["tiles"] as? String)?.hasPrefix("tiles/{z}/{x}/{y}?v=") == true
        && map["attribution"] as? String == "OSM")
    #expect(map["max_zoom"] as? Int == 12 && map["bounds"] as? [Double] == [13, 52, 14, 53])
    #expect(
      map["lookback_s"] as? Int == 129_600 && map["min_path_length"] as? Int == 10 && map["problem"] == nil)
    let tile = try LocalAPITests.ask(running, "GET", "/tiles/1/0/0?v=abc")
    #expect(tile.status == 200 && tile.body == Self.png && tile.headers["content-type"] == "image/png")
    #expect(tile.headers["cache-control"] == "private, max-age=604800")
    #expect(tile.headers["x-content-type-options"] == "nosniff")
    let missing = try LocalAPITests.ask(running, "GET", "/tiles/1/1/0")
    #expect(missing.status == 204 && missing.body.isEmpty)
    for target in ["/tiles/0/0/99999999", "/tiles/", "/tiles/../status", "/tiles/1/0/0.png", "/tiles/23/0/0"]
    {
      #expect(try LocalAPITests.ask(running, "GET", target).status == 400, "\(target)")
    }
    #expect(try LocalAPITests.ask(running, "GET", "/tiles/1/0/0?x=1").status == 400)
    #expect(try LocalAPITests.ask(running, "POST", "/tiles/1/0/0", body: "{}").status == 405)
    #expect(try LocalAPITests.ask(running, "GET", "/tiles/1/0/0", token: nil).status == 401)
    try FileManager.default.removeItem(atPath: path)
    let vanished = try LocalAPITests.ask(running, "GET", "/tiles/1/0/0")
    #expect(vanished.status == 503 && vanished.text.contains("does not exist"), "\(vanished.text)")
    #expect(
      (Self.json(try LocalAPITests.ask(running, "GET", "/map"))["problem"] as? String)?.contains(
        "does not exist") == true)
  }

  @Test func guestsThatMaySeePositionsSeeTheMapWithoutItsPath() throws {
    let bench = try HTTPBench()
    for guest in ["status", "positions"] {
      let running = try LocalAPITests.logger(
        on: bench, extra: ["map.tiles=/nowhere/x.mbtiles", "api.guest=\(guest)"])
      defer { running.logger.stop() }
      let answer = try LocalAPITests.ask(running, "GET", "/map", token: nil)
      #expect(answer.status == (guest == "positions" ? 200 : 401))
      #expect(!answer.text.contains("nowhere"))
      let tile = try LocalAPITests.ask(running, "GET", "/tiles/0/0/0", token: nil)
      #expect(tile.status == (guest == "positions" ? 503 : 401) && !tile.text.contains("nowhere"))
    }
  }

  @Test func onlyTheOriginOfAServerEntersThePolicyAndAChangeFollows() throws {
    let running = try LocalAPITests.logger()
    defer { running.logger.stop() }
    func policy() throws -> (images: String?, referrer: String?) {
      let page = try LocalAPITests.ask(running, "GET", "/")
      let rule = page.headers["content-security-policy"]?.split(separator: ";").first {
        $0.contains("img-src")
      }
      return (rule.map(String.init), page.headers["referrer-policy"])
    }
    #expect(try policy() == (" img-src 'self' data:", "same-origin"))
    #expect(try LocalAPITests.ask(running, "GET", "/tiles/0/0/0").status == 404)
    let template = "https://tile.example.org:444/secret/{z}/{x}/{y}.png?key=k"
    let changed = try LocalAPITests.ask(
      running, "PATCH", "/settings", body: #"{"map.tiles": "\#(template)"}"#)
    #expect(changed.status == 200 && !changed.text.contains("\"trial\""), "\(changed.text.prefix(300))")
    #expect(
      try policy() == (
        " img-src 'self' data: https://tile.example.org:444", "strict-origin-when-cross-origin"
      ))
    let map = Self.json(try LocalAPITests.ask(running, "GET", "/map"))
    #expect(map["tiles"] as? String == template && map["max_zoom"] as? Int == 19)
    #expect(try LocalAPITests.ask(running, "PATCH", "/settings", body: #"{"map.tiles": null}"#).status == 200)
    #expect(try policy() == (" img-src 'self' data:", "same-origin"))
  }
}
