import Database
import Glibc

/// The map tiles of an MBTiles file (MBTiles 1.3): images in a database, read without locks and never written.
///
/// The file is opened with the first request. If there is another file at its path later, that one is opened.
public final class TileFile {
  /// A column and a row of one zoom; rows are counted from the north.
  public struct Position: Equatable, Sendable {
    public static let largestZoom = 22
    public let zoom: Int
    public let column: Int
    public let row: Int

    /// Reads `Z/X/Y`; nil for anything else than decimal numbers of an existing tile.
    public init?(_ text: Substring) {
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      let numbers = parts.compactMap { part -> Int? in
        let isNumber = (1...7).contains(part.utf8.count) && part.utf8.allSatisfy { (48...57).contains($0) }
        return isNumber && (part.utf8.count == 1 || part.first != "0") ? Int(part) : nil
      }
      guard parts.count == 3, numbers.count == 3, numbers[0] <= Self.largestZoom else { return nil }
      (zoom, column, row) = (numbers[0], numbers[1], numbers[2])
      guard column < 1 << zoom, row < 1 << zoom else { return nil }
    }

    /// The row as MBTiles counts it: from the south (TMS).
    var rowFromSouth: Int { (1 << zoom) - 1 - row }
  }

  /// An image.
  public struct Tile: Equatable, Sendable {
    public var type: String
    public var bytes: [UInt8]
  }

  /// The facts that the file gives about itself.
  public struct Facts: Equatable, Sendable {
    public var minZoom: Int?
    public var maxZoom: Int?
    /// West, south, east, north in degrees.
    public var bounds: [Double]?
    /// The credit as plain text.
    public var attribution: String?
  }

  /// The reason why there are no tiles, with the remedy.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    public var description: String
    /// True for vector tiles, which the page cannot draw.
    public var isVector = false
  }

  private struct Identity: Equatable {
    var device: dev_t
    var inode: ino_t
    var size: off_t
    var seconds: Int
    var nanoseconds: Int

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  private struct Opened {
    var identity: Identity
    var result: Result<(Connection, Facts), Fault>
  }

  public let path: String
  private var opened: Opened?

  public init(path: String) { self.path = path }

  /// Closes the file. The next request opens it again.
  public func close() { opened = nil }

  /// A number that differs for another file at the path.
  public var version: Int { Identity(path).map { $0.seconds ^ Int(truncatingIfNeeded: $0.size) } ?? 0 }

  /// The facts of the file; throws if it has no images.
  public func facts() throws(Fault) -> Facts { try connection().1 }

  /// The facts of the file, after a look at one tile; throws if that is no image.
  public func examine() throws(Fault) -> Facts {
    let (connection, facts) = try connection()
    let row: [ColumnValue]?
    do throws(DatabaseError) {
      row = try connection.firstRow("SELECT substr(tile_data, 1, 16) FROM tiles LIMIT 1")
    } catch {
      throw fault(error)
    }
    guard case .blob(let bytes)? = row?.first else {
      throw Fault(description: "map.tiles: \(path): the file has no tiles; make it again")
    }
    _ = try type(of: bytes)
    return facts
  }

  /// The tile at a position; nil if the file has none there.
  public func tile(_ position: Position) throws(Fault) -> Tile? {
    let (connection, _) = try connection()
    let row: [ColumnValue]?
    do throws(DatabaseError) {
      row = try connection.firstRow(
        Self.query,
        [
          .integer(Int64(position.zoom)), .integer(Int64(position.column)),
          .integer(Int64(position.rowFromSouth)),
        ])
    } catch {
      opened = nil
      throw fault(error)
    }
    guard let row else { return nil }
    guard case .blob(let bytes)? = row.first, !bytes.isEmpty else {
      throw Fault(
        description: "map.tiles: \(path): a tile is empty or larger than 1 MiB; make the file again")
    }
    return Tile(type: try type(of: bytes), bytes: bytes)
  }

  /// A tile that is too large is not read.
  private static let query = """
    SELECT CASE WHEN length(tile_data) <= 1048576 THEN tile_data END FROM tiles \
    WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?
    """

  private func connection() throws(Fault) -> (Connection, Facts) {
    guard let identity = Identity(path) else {
      let number = errno
      opened = nil
      throw Fault(
        description: "map.tiles: \(path): "
          + (number == ENOENT
            ? "the file does not exist; copy it there, or correct map.tiles"
            : "\(String(cString: strerror(number))); check its permissions"))
    }
    if let opened, opened.identity == identity { return try opened.result.get() }
    let result: Result<(Connection, Facts), Fault>
    do throws(Fault) { result = .success(try open()) } catch { result = .failure(error) }
    opened = Opened(identity: identity, result: result)
    return try result.get()
  }

  private func open() throws(Fault) -> (Connection, Facts) {
    let connection: Connection
    let plan: [[ColumnValue]]
    let metadata: [String: String]
    do throws(DatabaseError) {
      connection = try Connection(path: path, access: .immutable)
      connection.limit(length: Self.longestValue, instructions: Self.mostInstructions)
      // A file that is cut while it is mapped into memory would end the program.
      try connection.execute("PRAGMA mmap_size = 0; PRAGMA cache_size = -256; PRAGMA trusted_schema = OFF")
      plan = try connection.rows("EXPLAIN QUERY PLAN \(Self.query)")
      metadata = try Self.metadata(connection)
    } catch {
      throw fault(error)
    }
    guard metadata["format"]?.lowercased() != "pbf" else { throw vector }
    guard !plan.contains(where: { $0.last?.text?.hasPrefix("SCAN") == true }) else {
      throw Fault(
        description:
          "map.tiles: \(path): tiles cannot be found without an index; create it with sqlite3 \(path) "
          + "'CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row)'")
    }
    return (connection, Facts(metadata))
  }

  /// The longest value in bytes: a tile of at most 1 MiB, and what a view makes of it.
  private static let longestValue: Int32 = 4 * 1024 * 1024
  /// The most instructions of a statement. An indexed tile takes less than a hundred.
  private static let mostInstructions = 200_000

  /// The metadata that matter here. A file without the table has none; a view is not read, because it may have no end.
  private static func metadata(_ connection: Connection) throws(DatabaseError) -> [String: String] {
    guard
      try connection.firstInteger(
        "SELECT 1 FROM sqlite_master WHERE name = 'metadata' AND type = 'table'")
        != nil
    else { return [:] }
    let rows = try connection.rows(
      "SELECT name, CAST(substr(value, 1, 1000) AS TEXT) FROM metadata "
        + "WHERE name IN ('format', 'minzoom', 'maxzoom', 'bounds', 'attribution') LIMIT 20")
    return Dictionary(
      rows.compactMap { row in row.first?.text.flatMap { name in row.last?.text.map { (name, $0) } } },
      uniquingKeysWith: { first, _ in first })
  }

  private func fault(_ error: DatabaseError) -> Fault {
    switch error.kind {
    case .damaged:
      Fault(description: "map.tiles: \(path): the file is damaged or no MBTiles file; copy it again")
    case .other where error.message.contains("no such"):
      Fault(description: "map.tiles: \(path): \(error.message); an MBTiles file has a table of tiles")
    case .other where error.message == "interrupted" || error.message.contains("too big"):
      Fault(
        description: "map.tiles: \(path): its views or values are too large to read (\(error.message)); "
          + "make the file again")
    case .full, .unwritable, .busy, .other: Fault(description: "map.tiles: \(error)")
    }
  }

  private var vector: Fault {
    Fault(
      description:
        "map.tiles: \(path): the tiles are vectors (pbf), which the page cannot draw; make a file with PNG, "
        + "JPEG or WebP images, for example with QGIS or gdal_translate", isVector: true)
  }

  /// The type of an image by its first bytes.
  private func type(of bytes: [UInt8]) throws(Fault) -> String {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
      return "image/webp"
    }
    // Vector tiles are packed with gzip.
    if bytes.starts(with: [0x1F, 0x8B]) { throw vector }
    throw Fault(description: "map.tiles: \(path): a tile is no PNG, JPEG or WebP image; make the file again")
  }
}

extension TileFile.Facts {
  init(_ metadata: [String: String]) {
    let zooms = 0...TileFile.Position.largestZoom
    minZoom = metadata["minzoom"].flatMap { Int($0) }.flatMap { zooms.contains($0) ? $0 : nil }
    maxZoom = metadata["maxzoom"].flatMap { Int($0) }.flatMap { zooms.contains($0) ? $0 : nil }
    let numbers =
      metadata["bounds"]?.split(separator: ",").compactMap { Double($0.filter { $0 != " " }) } ?? []
    if numbers.count == 4, numbers.allSatisfy(\.isFinite), numbers[0] <= numbers[2], numbers[1] <= numbers[3],
      numbers[0] >= -180, numbers[2] <= 180, numbers[1] >= -90, numbers[3] <= 90
    {
      bounds = numbers
    }
    attribution = metadata["attribution"].map(Self.plain).flatMap {
      $0.isEmpty ? nil : String($0.prefix(200))
    }
  }

  /// The text of a credit, which is often HTML.
  private static func plain(_ markup: String) -> String {
    var text = ""
    var isTag = false
    for character in markup {
      switch character {
      case "<": isTag = true
      case ">" where isTag: isTag = false
      default: if !isTag { text.append(character) }
      }
    }
    for (name, sign) in [("&copy;", "©"), ("&amp;", "&"), ("&nbsp;", " ")] {
      text = text.split(separator: name, omittingEmptySubsequences: false).joined(separator: sign)
    }
    return text.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
  }
}
