import Quantities

/// The settings of the page's map (`map`).
public struct MapSettings: Equatable, Sendable {
  /// The source of the background; nil for none.
  public var tiles: TileSource? = Schema.mapTiles.fallback
  /// The credit that the map shows; nil for that of the file.
  public var attribution: String? = Schema.mapAttribution.fallback
  /// The largest zoom of the tiles; nil for that of the file, or 19.
  public var maxZoom: Int? = Schema.mapMaxZoom.fallback
  /// The period that the map shows first.
  public var lookback: Duration = Schema.mapLookback.fallback
  /// The points of the shortest path that the map shows.
  public var minPathLength: Int = Schema.mapMinPathLength.fallback

  public init() {}
}

extension Schema {
  static let mapTiles = Of<TileSource?>(
    "map.tiles", \.map.tiles, .offOr(.tileSource), default: nil, applies: .atOnce, effect: .requires(.page),
    "Background of the map: an MBTiles file of this device with images, or the address of a server. From a "
      + "server the browser loads the images, so the server learns which places are looked at.")
  static let mapAttribution = Of<String?>(
    "map.attribution", \.map.attribution, .optional(.text(atMost: 200)), default: nil,
    defaultText: "that of the file", applies: .atOnce, effect: .requires(.mapTiles),
    "Credit that the map shows for its background. Most servers and files require one.")
  static let mapMaxZoom = Of<Int?>(
    "map.max_zoom", \.map.maxZoom, .optional(.integer(0...22)), default: nil,
    defaultText: "that of the file, or 19", applies: .atOnce, effect: .requires(.mapTiles),
    "Largest zoom of the tiles. Beyond it the map enlarges them.")
  static let mapLookback = Of<Duration>(
    "map.lookback", \.map.lookback, .duration(.seconds(3600) ... .days(365)), default: .days(1),
    applies: .atOnce, effect: .requires(.page),
    "Period that the map shows first. Everybody can choose another one on the page.")
  static let mapMinPathLength = Of<Int>(
    "map.min_path_length", \.map.minPathLength, .integer(1...1000), default: 10, applies: .atOnce,
    effect: .requires(.page),
    "Smallest number of points of a path that the map shows. Shorter ones are mostly noise.")
}

extension MapSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.mapTiles, Schema.mapAttribution, Schema.mapMaxZoom, Schema.mapLookback, Schema.mapMinPathLength,
  ]
}
