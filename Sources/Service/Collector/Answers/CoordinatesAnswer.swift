import Quantities

/// Writes the response to `GET /coordinates` in its two formats.
enum CoordinatesAnswer {
  /// The body of the response; its `count` is the number of points in it.
  static func json(_ points: [TrackPoint], _ query: CoordinatesQuery) -> [UInt8] {
    var json: [UInt8] = []
    switch query.format {
    case .coordinates:
      let points = query.fewestPoints.map { TrackPaths.points(points, inPathsOf: $0) } ?? points
      json.reserveCapacity(128 + points.count * 56)
      head(query, count: points.count, key: "coordinates", to: &json)
      list(points, to: &json) { point, json in
        json.append(contentsOf: "[\"".utf8)
        point.time.appendISO8601(to: &json)
        json.append(contentsOf: "\",".utf8)
        json.appendDecimal(point.latitudeE7, decimals: 7)
        json.append(UInt8(ascii: ","))
        json.appendDecimal(point.longitudeE7, decimals: 7)
        json.append(UInt8(ascii: "]"))
      }
    case .paths:
      let paths = TrackPaths.paths(points, ofAtLeast: query.fewestPoints ?? TrackPaths.fewestPoints)
      head(query, count: paths.reduce(0) { $0 + $1.count }, key: "paths", to: &json)
      list(paths, to: &json) { path, json in
        list(path, to: &json) { point, json in
          json.append(contentsOf: #"{"timestamp":""#.utf8)
          point.time.appendISO8601(to: &json)
          json.append(contentsOf: #"","latitude":"#.utf8)
          json.appendDecimal(point.latitudeE7, decimals: 7)
          json.append(contentsOf: #","longitude":"#.utf8)
          json.appendDecimal(point.longitudeE7, decimals: 7)
          json.append(UInt8(ascii: "}"))
        }
      }
    }
    json.append(UInt8(ascii: "}"))
    return json
  }

  private static func head(_ query: CoordinatesQuery, count: Int, key: String, to json: inout [UInt8]) {
    let window =
      switch query.window {
      case .lookback(let hours): #""lookback_hours":\#(hours)"#
      case .day(let date): #""date":"\#(Timestamp(date).iso8601().prefix(10))""#
      }
    json.append(contentsOf: #"{"status":"success","count":\#(count),\#(window),"\#(key)":"#.utf8)
  }

  private static func list<Element>(
    _ elements: [Element], to json: inout [UInt8], _ write: (Element, inout [UInt8]) -> Void
  ) {
    json.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      write(element, &json)
    }
    json.append(UInt8(ascii: "]"))
  }
}
