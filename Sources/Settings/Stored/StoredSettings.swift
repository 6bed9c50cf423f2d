import FoundationEssentials

/// What was set while the logger ran, as it is kept in the storage directory.
public struct StoredSettings: Encodable, Equatable, Sendable {
  /// What the operator has set, by dotted path; values as `--set KEY=VALUE` takes them.
  public var `operator`: [String: String] = [:]
  /// What servers have set, and how far it has proved itself.
  public var server = ServerRecord()
  /// While a trip runs that switched tracking on: what its end puts back.
  public var tripClaim: TrackingClaim?
  /// What each destination was last served with, by name.
  public var destinations: [String: DestinationStanding]?
  /// Destinations that came to a log with records in it, each with the last of those that had not gone to it yet.
  public var newcomers: [String: Int64]?
  /// Destinations of the log that are configured no more, as far as that was told.
  public var departed: [String]?
  /// What of the file could not be read and was left out.
  public internal(set) var faults: [StoredFault] = []

  private enum CodingKeys: String, CodingKey {
    case `operator`, server, destinations, newcomers, departed
    case tripClaim = "trip_claim"
  }

  public static let largest = 1 << 20

  public init() {}

  /// One JSON object with sorted keys; it holds secrets that the operator has set.
  public var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { Array($0) + Array("\n".utf8) } ?? []
  }

  /// What lies over the files.
  public var layers: StoredLayers {
    var layers = StoredLayers()
    layers.operator = `operator`
    for entry in server.values { layers.server[entry.key] = entry.value }
    layers.setters = server.setters
    return layers
  }
}
