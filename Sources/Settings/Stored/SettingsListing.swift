import FoundationEssentials

/// Every setting with value and origin, as programs get it.
public struct SettingsListing: Equatable, Sendable {
  public struct Row: Equatable, Sendable {
    /// Dotted.
    public var key: String
    /// In the words of a file, as JSON; secrets hidden.
    public var json: String
    /// default, board, profile, file, server, operator or --set.
    public var origin: String
  }

  public var rows: [Row]
  /// The storage directory, by which one logger is told from another.
  public var directory: String
  /// Everything that was set while running is on disk.
  public var isDurable: Bool
  /// Why it cannot be brought there, and what that means; nil while it can.
  public var trouble: String?

  public init(_ configuration: Configuration, isDurable: Bool = true, trouble: String? = nil) {
    rows = configuration.rows.map {
      Row(key: $0.setting.path, json: $0.json, origin: "\($0.origin.word)")
    }
    // A single destination's are the settings themselves.
    let layers = configuration.destinations.count > 1 ? configuration.destinationLayer : [:]
    for (name, layer) in layers.sorted(by: { $0.key < $1.key }) {
      for path in layer.keys.sorted() {
        let row = configuration.delivery(to: name).json(path).map {
          Row(key: "destinations.\(Shown.key(name)).\(path)", json: $0, origin: "\(Origin.server.word)")
        }
        rows += [row].compactMap { $0 }
      }
    }
    directory = configuration.storage.directory
    self.isDurable = isDurable
    self.trouble = trouble
  }

  /// An array of `{"key", "value", "origin"}`.
  public var array: String {
    let rows = rows.map { row in
      let key = JSONValue.text(row.key).json
      return "  {\"key\": \(key), \"value\": \(row.json), \"origin\": \(JSONValue.text(row.origin).json)}"
    }
    return "[\n\(rows.joined(separator: ",\n"))\n]"
  }

  /// What the local API answers.
  public var json: String {
    let trouble = trouble.map { #", "trouble": \#(JSONValue.text($0).json)"# } ?? ""
    return """
      {"directory": \(JSONValue.text(directory).json), "is_durable": \(isDurable)\(trouble), "settings": \(array)}
      """
  }

  /// Reads what ``json`` wrote; nil for anything else.
  public init?(json bytes: [UInt8]) {
    var scanner = JSON5Scanner(bytes)
    guard (try? scanner.scan(root: "")) != nil,
      case .group(let members)? = ParsedText.decoded(bytes, scanner.scalars),
      case .text(let directory)? = members["directory"],
      case .boolean(let isDurable)? = members["is_durable"],
      case .list(let elements)? = members["settings"]
    else { return nil }
    rows = elements.compactMap { element in
      guard case .group(let row) = element, case .text(let key)? = row["key"], let value = row["value"],
        case .text(let origin)? = row["origin"]
      else { return nil }
      return Row(key: key, json: value.json, origin: origin)
    }
    (self.directory, self.isDurable) = (directory, isDurable)
    if case .text(let trouble)? = members["trouble"] { self.trouble = trouble }
  }
}

extension DeliverySettings {
  /// The value of one of these settings by its path, as JSON.
  fileprivate func json(_ path: String) -> String? {
    var shown = Configuration(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    shown.sendInterval = sendInterval
    (shown.main.batchSize, shown.main.loggingMode) = (batchSize, loggingMode)
    (shown.trip.batchSize, shown.trip.loggingMode) = (tripBatchSize, tripLoggingMode)
    return Schema.table[path]?.written(in: shown, revealing: false).json
  }
}
