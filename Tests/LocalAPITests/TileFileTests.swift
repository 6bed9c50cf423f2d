import Database
import Foundation
import Testing
@testable import LocalAPI

/// Map tiles from files that the tests make.
@Suite final class TileFileTests {
  private let path = NSTemporaryDirectory() + "outrider-\(UUID().uuidString).mbtiles"

  static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]
  static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 2]
  static let webp: [UInt8] = Array("RIFF".utf8) + [1, 0, 0, 0] + Array("WEBPVP8 ".utf8)
  static let vector: [UInt8] = [0x1F, 0x8B, 8, 0]

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Makes a file; `tiles` have zoom, column and row as MBTiles counts them.
  private func make(
    metadata: [String: String] = [:], hasIndex: Bool = true, _ tiles: [(Int, Int, Int, [UInt8])]
  ) throws {
    try? FileManager.default.removeItem(atPath: path)
    let connection = try Connection(path: path)
    try connection.execute(
      """
      CREATE TABLE metadata (name TEXT, value TEXT);
      CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
      """)
    if hasIndex {
      try connection.execute("CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row)")
    }
    for (name, value) in metadata {
      try connection.run("INSERT INTO metadata VALUES (?, ?)", [.text(name), .text(value)])
    }
    for (zoom, column, row, bytes) in tiles {
      try connection.run(
        "INSERT INTO tiles VALUES (?, ?, ?, ?)",
        [.integer(Int64(zoom)), .integer(Int64(column)), .integer(Int64(row)), .blob(bytes)])
    }
  }

  private func tile(_ text: String, of file: TileFile? = nil) throws -> TileFile.Tile? {
    try (file ?? TileFile(path: path)).tile(try #require(TileFile.Position(text[...])))
  }

  private func fault(of file: TileFile? = nil, _ text: String = "0/0/0") -> TileFile.Fault? {
    do {
      _ = try tile(text, of: file)
      return nil
    } catch { return error as? TileFile.Fault }
  }

  static let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"

  /// Statements that replace a table, each of which takes for ever or more memory than a device has.
  static let hostile = [
    "DROP TABLE metadata; CREATE VIEW metadata AS \(endless) 'x' AS name, i AS value FROM n",
    "DROP TABLE metadata; CREATE VIEW metadata AS \(endless) 'format' AS name, zeroblob(1000000000) AS value FROM n",
    "DELETE FROM metadata; INSERT INTO metadata VALUES ('attribution', zeroblob(300000000))",
    "DELETE FROM metadata; INSERT INTO metadata VALUES (zeroblob(100000000), 'x')",
    """
    ALTER TABLE tiles RENAME TO t; CREATE VIEW tiles AS \(endless) i AS zoom_level, i AS tile_column, \
    i AS tile_row, x'89504E47' AS tile_data FROM n WHERE i < 0
    """,
    """
    ALTER TABLE tiles RENAME TO t; CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, \
    zeroblob(1000000000) AS tile_data FROM t
    """,
    """
    ALTER TABLE tiles RENAME TO t; CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, \
    (\(endless) count(*) FROM n) AS tile_data FROM t
    """,
  ]

  @Test(arguments: 0..<7)
  func aFileWhoseViewsHaveNoEndIsLeftInABoundedTime(number: Int) throws {
    try make(metadata: ["minzoom": "0"], [(0, 0, 0, Self.png)])
    try Connection(path: path).execute(Self.hostile[number])
    let start = ContinuousClock.now
    let file = TileFile(path: path)
    // Either the file is refused with words, or it is shown without what has no end.
    do {
      _ = try file.examine()
      _ = try file.tile(try #require(TileFile.Position("0/0/0")))
    } catch let fault as TileFile.Fault {
      #expect(fault.description.hasPrefix("map.tiles: \(path): "), "\(fault)")
    }
    #expect(ContinuousClock.now - start < .seconds(2))
  }

  @Test func tilesInAViewAreRead() throws {
    try make([(0, 0, 0, Self.png)])
    try Connection(path: path).execute(
      "ALTER TABLE tiles RENAME TO images; CREATE VIEW tiles AS SELECT * FROM images")
    let file = TileFile(path: path)
    for _ in 0..<5000 { _ = try file.tile(try #require(TileFile.Position("0/0/0"))) }
    #expect(try tile("0/0/0", of: file)?.type == "image/png")
  }

  @Test func rowsAreCountedFromTheNorth() throws {
    try make([(2, 1, 3, Self.png), (2, 1, 0, Self.jpeg), (0, 0, 0, Self.webp)])
    #expect(try tile("2/1/0") == TileFile.Tile(type: "image/png", bytes: Self.png))
    #expect(try tile("2/1/3") == TileFile.Tile(type: "image/jpeg", bytes: Self.jpeg))
    #expect(try tile("0/0/0") == TileFile.Tile(type: "image/webp", bytes: Self.webp))
    #expect(try tile("2/0/0") == nil && tile("5/1/1") == nil)
  }

  @Test(arguments: [
    "", "0", "0/0", "0/0/0/0", "0/0/1", "1/2/0", "1/0/2", "23/0/0", "0/0/99999999", "-1/0/0", "0/0/-1",
    "+1/0/0",
    "1.0/0/0", "a/b/c", " 1/0/0", "1/0/0 ", "01/0/0", "1/00/0", "../0/0", "0/0/0.png",
    "99999999999999999999/0/0",
    "１/0/0", "0//0",
  ])
  func aTileThatCannotExistIsRejected(text: String) { #expect(TileFile.Position(text[...]) == nil) }

  @Test(arguments: ["0/0/0", "22/4194303/4194303", "10/1023/0"])
  func everyTileOfTheWorldHasAPosition(text: String) { #expect(TileFile.Position(text[...]) != nil) }

  @Test func metadataAreCheckedAndTheCreditIsPlainText() throws {
    try make(
      metadata: [
        "format": "png", "minzoom": "3", "maxzoom": "14", "bounds": "13.0, 52.25,13.75,52.75",
        "attribution": #"<a href="https://x/">&copy; OSM</a>  &amp; <b>friends"#,
      ], [(3, 0, 0, Self.png)])
    let facts = try TileFile(path: path).examine()
    #expect(facts.minZoom == 3 && facts.maxZoom == 14 && facts.bounds == [13, 52.25, 13.75, 52.75])
    #expect(facts.attribution == "© OSM & friends")
  }

  @Test(arguments: [
    ["minzoom": "-1", "maxzoom": "99", "bounds": "1,2,3", "attribution": "<br>"],
    ["minzoom": "x", "maxzoom": "1e3", "bounds": "14,52,13,53", "attribution": ""],
    ["bounds": "nan,0,1,1"], ["bounds": "0,-91,1,1"], ["bounds": "inf,0,1,1"], [:],
  ])
  func metadataThatMakeNoSenseAreIgnored(metadata: [String: String]) throws {
    try make(metadata: metadata, [(0, 0, 0, Self.png)])
    #expect(try TileFile(path: path).facts() == TileFile.Facts())
  }

  @Test func vectorTilesAreRefusedWithTheRemedy() throws {
    try make(metadata: ["format": "pbf"], [(0, 0, 0, Self.vector)])
    let declared = try #require(fault())
    #expect(declared.isVector && declared.description.contains("QGIS"))
    try make([(0, 0, 0, Self.vector), (1, 0, 0, Self.png)])
    let file = TileFile(path: path)
    #expect(fault(of: file)?.isVector == true)
    #expect(try tile("1/0/1", of: file)?.type == "image/png", "a single odd tile does not end the map")
  }

  @Test(arguments: [[UInt8](), [0x47, 0x49, 0x46], Array("<svg onload=x>".utf8), Array("RIFF".utf8)])
  func whatIsNoImageIsNotSent(bytes: [UInt8]) throws {
    try make([(0, 0, 0, bytes)])
    #expect(fault()?.isVector == false)
  }

  @Test func aHugeTileIsNotRead() throws {
    try make([(0, 0, 0, Self.png + [UInt8](repeating: 0, count: 1 << 20))])
    #expect(fault()?.description.contains("larger than 1 MiB") == true)
  }

  @Test func aFileWithoutAnIndexIsRefusedWithTheCommand() throws {
    try make(hasIndex: false, [(0, 0, 0, Self.png)])
    #expect(fault()?.description.contains("CREATE UNIQUE INDEX") == true)
  }

  @Test func tilesBehindAViewAreFound() throws {
    try? FileManager.default.removeItem(atPath: path)
    let connection = try Connection(path: path)
    try connection.execute(
      """
      CREATE TABLE map (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_id TEXT);
      CREATE UNIQUE INDEX map_index ON map (zoom_level, tile_column, tile_row);
      CREATE TABLE images (tile_data BLOB, tile_id TEXT);
      CREATE UNIQUE INDEX images_id ON images (tile_id);
      CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, tile_data FROM map JOIN images USING (tile_id);
      INSERT INTO map VALUES (0, 0, 0, 'a');
      """)
    try connection.run("INSERT INTO images VALUES (?, 'a')", [.blob(Self.png)])
    #expect(try tile("0/0/0")?.type == "image/png")
  }

  @Test func anotherFileIsAnsweredFor() throws {
    #expect(fault()?.description.contains("does not exist") == true)
    try Data("no database".utf8).write(to: URL(fileURLWithPath: path))
    #expect(fault()?.description.contains("damaged or no MBTiles file") == true)
    try? FileManager.default.removeItem(atPath: path)
    try Connection(path: path).execute("CREATE TABLE other (x)")
    #expect(fault()?.description.contains("no such table") == true)
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    #expect(fault()?.description.contains("not a regular file") == true)
  }

  @Test func aFileThatVanishesOrChangesIsNoticed() throws {
    try make([(0, 0, 0, Self.png)])
    let file = TileFile(path: path)
    #expect(try tile("0/0/0", of: file)?.bytes == Self.png)
    try FileManager.default.removeItem(atPath: path)
    #expect(fault(of: file)?.description.contains("does not exist") == true)
    try make([(0, 0, 0, Self.jpeg), (1, 0, 0, Self.png)])
    #expect(try tile("0/0/0", of: file)?.bytes == Self.jpeg, "the new file is opened")
  }

  /// No damage ends the program: each byte range is overwritten once, and the file is cut at many lengths.
  @Test func aDamagedFileGetsAnAnswer() throws {
    let many = (0..<64).map { (6, $0, $0, Self.png + [UInt8](repeating: UInt8($0), count: 2000)) }
    try make(metadata: ["bounds": "0,0,1,1"], many)
    let sound = try Data(contentsOf: URL(fileURLWithPath: path))
    var faults = 0
    for step in 0..<120 {
      var bytes = sound
      if step % 2 == 0 {
        bytes = sound.prefix(sound.count * step / 120)
      } else {
        let begin = sound.count * step / 120
        for index in begin..<min(begin + 700, sound.count) {
          bytes[index] = UInt8(truncatingIfNeeded: index &* 7)
        }
      }
      try bytes.write(to: URL(fileURLWithPath: path))
      let file = TileFile(path: path)
      for column in [0, 17, 40, 63] where fault(of: file, "6/\(column)/\(63 - column)") != nil { faults += 1 }
      // Cut while it is open.
      _ = try? tile("6/1/62", of: file)
      truncate(path, 5000)
      _ = fault(of: file, "6/50/13")
    }
    #expect(faults > 40)
  }
}
