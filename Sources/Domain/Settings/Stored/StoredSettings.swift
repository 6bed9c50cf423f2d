import FoundationEssentials

/// The values that were set at run time, as stored in the storage directory.
public struct StoredSettings: Encodable, Equatable, Sendable {
  /// The values that the operator has set by dotted path, as `--set KEY=VALUE` takes them.
  public var `operator`: [String: String] = [:]
  /// The values that servers have set, and their trials.
  public var server = ServerRecord()
  /// The value that the end of the trip restores, if the running trip switched tracking on.
  public var tripOverride: TripOverride?
  /// The address and format with which each destination was last served, by name.
  public var destinations: [String: DestinationState]?
  /// Destinations that were added to a log with records, each with the last earlier record not yet sent to it.
  public var newcomers: [String: Int64]?
  /// Destinations of the log that are no longer configured and were reported.
  public var departed: [String]?
  /// The tokens that servers gave to this device, by destination.
  public var tokens: [String: DeviceTokens.Entry]?
  /// The paths of the operator's settings that were on trial when the file was written; ``operator`` has their previous
  /// values.
  public var trial: [String]?
  /// The parts of the file that could not be read and were ignored.
  public internal(set) var faults: [StoredFault] = []

  private enum CodingKeys: String, CodingKey {
    case `operator`, server, destinations, newcomers, departed, tokens, trial
    case tripOverride = "trip_claim"
  }

  /// The largest file, in bytes.
  public static let largest = 1 << 20

  public init() {}

  /// The content of the file: one JSON object with sorted keys. It contains secrets that the operator has set.
  public var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { Array($0) + Array("\n".utf8) } ?? []
  }

  /// The layers above the files.
  public var layers: StoredLayers {
    var layers = StoredLayers()
    layers.operator = `operator`
    for entry in server.values { layers.server[entry.key] = entry.value }
    layers.setters = server.setters
    return layers
  }
}
