import Testing

@testable import Settings

/// The source of the map's background. Its origin becomes part of a header.
@Suite struct TileSourceTests {
  @Test(arguments: [
    ("https://tile.example.org/{z}/{x}/{y}.png", "https://tile.example.org"),
    ("http://192.168.1.20:8080/t/{z}/{y}/{x}", "http://192.168.1.20:8080"),
    ("HTTPS://Tile.Example.org/{z}/{x}/{y}@2x.png?key=a%20b&s=1", "https://tile.example.org"),
    ("https://nas/{x}-{y}-{z}", "https://nas"),
  ])
  func onlyTheOriginOfATemplateIsItsOrigin(text: String, origin: String) throws {
    let template = try #require(TileTemplate(text))
    #expect(template.origin == origin && template.text == text)
  }

  @Test(arguments: [
    "", "https://", "https:///{z}/{x}/{y}", "ftp://h/{z}/{x}/{y}", "//h/{z}/{x}/{y}", "javascript:{z}{x}{y}",
    "https://h/{z}/{x}", "https://h/{z}/{x}/{y}/{y}", "https://h/{z}/{x}/{y}/{s}",
    "https://{s}.h/{z}/{x}/{y}",
    "https://h/{z}/{x}/{y", "https://h/}{z}/{x}/{y}", "https://h/{Z}/{X}/{Y}", "https://*.h/{z}/{x}/{y}",
    "https://*/{z}/{x}/{y}", "https://user@h/{z}/{x}/{y}", "https://user:pass@h/{z}/{x}/{y}",
    "https://h:0/{z}/{x}/{y}", "https://h:65536/{z}/{x}/{y}", "https://h:/{z}/{x}/{y}",
    "https://h:8a/{z}/{x}/{y}",
    "https://h;script-src/{z}/{x}/{y}", "https://h /{z}/{x}/{y}", "https://h/{z}/{x}/{y};x",
    "https://h/{z}/{x}/{y},x",
    "https://h/{z}/{x}/{y}\r\nX: y", "https://h/{z}/{x}/{y}\"", "https://h'/{z}/{x}/{y}",
    "https://-h/{z}/{x}/{y}",
    "https://h..k/{z}/{x}/{y}", "https://[::1]/{z}/{x}/{y}", "https://h?{z}/{x}/{y}",
    "https://h/{z}/{x}/{y}#f",
    "https://bücher.example/{z}/{x}/{y}", "https://h/{z}/{x}/{y}<", "https://h\\@evil/{z}/{x}/{y}",
  ])
  func everyOtherTextIsRejected(text: String) { #expect(TileTemplate(text) == nil) }

  @Test func aVeryLongTemplateIsRejected() {
    #expect(TileTemplate("https://h/{z}/{x}/{y}?" + String(repeating: "a", count: 600)) == nil)
  }

  @Test(arguments: [
    ("off", nil), ("/var/lib/outrider/map.mbtiles", TileSource.file("/var/lib/outrider/map.mbtiles")),
    ("/m/Map.MBTILES", .file("/m/Map.MBTILES")),
  ])
  func theSettingTakesAFileOrOff(text: String, source: TileSource?) throws {
    #expect(try configuration(set: ["map.tiles=\(text)"]).map.tiles == source)
  }

  @Test(arguments: ["map.mbtiles", "/map.pmtiles", "/map", "/map\n.mbtiles", "on", "https://h/"])
  func anotherPathIsRejectedWithWhatIsExpected(text: String) {
    let errors = refusals(set: ["map.tiles=\(text)"])
    #expect(
      errors.count == 1 && errors.first?.contains(".mbtiles, or an address https://HOST/") == true,
      "\(errors)")
  }

  @Test func noServerMaySetTheMap() {
    for setting in MapSettings.declared { #expect(setting.fromServer == .never, "\(setting.path)") }
  }
}
