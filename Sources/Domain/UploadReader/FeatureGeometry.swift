import FleetRecords

/// The geometry of a Feature.
enum FeatureGeometry {
  /// None, null, or another one than a point.
  case none
  case point(longitude: TextValue, latitude: TextValue, altitude: TextValue?)

  /// Reads the geometry at the scanner's position. Coordinates are an array in the order of GeoJSON, or an
  /// object with `longitude` and `latitude`, as in the first version of Overland.
  init(_ scanner: inout TextScanner, depth: Int) throws(UploadError) {
    self = .none
    guard scanner.next == UInt8(ascii: "{") else {
      _ = try scanner.value(depth: depth)
      return
    }
    try scanner.enter(depth: depth + 1)
    var isPoint = false
    var point = FeatureGeometry.none
    var isFirst = true
    while let key = try scanner.nextKey(isFirst: &isFirst) {
      switch GeometryKey.table.number(scanner.slice(key.range)).flatMap(GeometryKey.init) {
      case .type: isPoint = scanner.hasText(try scanner.value(depth: depth + 1), "Point")
      case .coordinates: point = try Self.coordinates(&scanner, depth: depth + 1)
      case nil: _ = try scanner.value(depth: depth + 1)
      }
    }
    if isPoint { self = point }
  }

  private static func coordinates(
    _ scanner: inout TextScanner, depth: Int
  ) throws(UploadError) -> FeatureGeometry {
    var (longitude, latitude, altitude): (TextValue?, TextValue?, TextValue?)
    var isFirst = true
    switch scanner.next {
    case UInt8(ascii: "["):
      try scanner.enter(depth: depth + 1)
      var index = 0
      while try scanner.nextElement(isFirst: &isFirst) {
        let value = try scanner.value(depth: depth + 1)
        switch index {
        case 0: longitude = value
        case 1: latitude = value
        case 2: altitude = value
        default: break
        }
        index += 1
      }
    case UInt8(ascii: "{"):
      try scanner.enter(depth: depth + 1)
      while let key = try scanner.nextKey(isFirst: &isFirst) {
        let value = try scanner.value(depth: depth + 1)
        if scanner.isEqual(key.range, "longitude") { longitude = value }
        if scanner.isEqual(key.range, "latitude") { latitude = value }
      }
    default: _ = try scanner.value(depth: depth)
    }
    guard let longitude, let latitude, longitude.kind == .number, latitude.kind == .number else {
      return .none
    }
    if altitude?.kind != .number { altitude = nil }
    return .point(longitude: longitude, latitude: latitude, altitude: altitude)
  }

  /// The position in the units of the tables; nil without a point. Throws if a coordinate is out of range.
  func place(_ source: TextScanner, record: Int64?) throws(UploadError) -> PlaceColumns? {
    guard case .point(let longitude, let latitude, _) = self else { return nil }
    guard let east = DecimalNumber(source.slice(longitude.range)).scaled(places: 7),
      (-1_800_000_000...1_800_000_000).contains(east)
    else { throw .invalid(key: "longitude", .outOfRange, offset: longitude.start, record: record) }
    guard let north = DecimalNumber(source.slice(latitude.range)).scaled(places: 7),
      (-900_000_000...900_000_000).contains(north)
    else { throw .invalid(key: "latitude", .outOfRange, offset: latitude.start, record: record) }
    return PlaceColumns(
      latitudeE7: Int32(truncatingIfNeeded: north), longitudeE7: Int32(truncatingIfNeeded: east))
  }
}
