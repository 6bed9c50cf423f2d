/// The list of all settings with value and origin, for programs.
public struct SettingsListing: Equatable, Sendable {
  /// A row of the listing: one setting.
  public struct Row: Equatable, Sendable {
    /// The dotted path.
    public var key: String
    /// The value as in a file, as JSON; secrets are hidden.
    public var json: String
    /// The origin: default, board, profile, file, server, operator or --set.
    public var origin: String
    /// The overridden value of the configuration file, in the same format as ``json``; nil if the file has none or its value
    /// applies.
    public var fileJSON: String?
    /// The command that makes the file's value apply; nil together with ``fileJSON``.
    public var command: String?

    public init(key: String, json: String, origin: String) {
      (self.key, self.json, self.origin) = (key, json, origin)
    }
  }

  public var rows: [Row]
  /// The storage directory, which identifies the logger.
  public var directory: String
  /// True if all values that were set at run time are on disk.
  public var isDurable: Bool
  /// The reason why they cannot be stored, with the consequence; nil if they can.
  public var trouble: String?
  /// The warnings after a change, such as settings without effect; empty except in the response to a change.
  public var warnings: [String] = []
  /// The settings on trial, with the time to the return of the previous values; nil if there are none.
  public var trial: SettingTrial.Progress?

  public init(_ configuration: Configuration, isDurable: Bool = true, trouble: String? = nil) {
    rows = configuration.rows.map {
      Row(key: $0.setting.path, json: $0.json, origin: "\($0.origin.word)")
    }
    // The values of a single destination are those of the settings themselves.
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
    mark(configuration.overriddenKeys)
  }

  /// Marks the rows of overridden keys of the file; a key without a row gets one. Marked rows stay unchanged.
  public mutating func mark(_ keys: [OverriddenKey]) {
    for overridden in keys {
      var row = Row(key: overridden.key, json: overridden.json, origin: "\(overridden.origin.word)")
      let index = rows.firstIndex { $0.key == overridden.key }
      if let index { row = rows[index] }
      guard row.command == nil else { continue }
      (row.fileJSON, row.command) = (overridden.fileJSON, overridden.command)
      if let index { rows[index] = row } else { rows.append(row) }
    }
  }

  /// The same listing without the rows whose value is the default.
  ///
  /// `fallbacks` are the defaults that depend on the host.
  public func changed(from fallbacks: Fallbacks) -> SettingsListing {
    let usual = Dictionary(
      Configuration(fallbacks: fallbacks).rows.map { ($0.setting.path, $0.json) }, uniquingKeysWith: { $1 })
    var listing = self
    listing.rows.removeAll { usual[$0.key] == $0.json && $0.command == nil }
    return listing
  }

  /// An array of `{"key", "value", "origin"}`; an overridden key of the file also has `file_value` and `give_back`.
  public var array: String {
    let rows = rows.map { row in
      let key = JSONValue.text(row.key).json
      var text = "  {\"key\": \(key), \"value\": \(row.json), \"origin\": \(JSONValue.text(row.origin).json)"
      if let value = row.fileJSON, let command = row.command {
        text += ", \"file_value\": \(value), \"give_back\": \(JSONValue.text(command).json)"
      }
      return text + "}"
    }
    return "[\n\(rows.joined(separator: ",\n"))\n]"
  }

  /// The JSON object that the local API returns.
  public var json: String {
    let trouble = trouble.map { #", "trouble": \#(JSONValue.text($0).json)"# } ?? ""
    let warnings =
      warnings.isEmpty ? "" : #", "warnings": \#(JSONValue.list(warnings.map(JSONValue.text)).json)"#
    let trial = trial.map { #", "trial": \#($0.json)"# } ?? ""
    return """
      {"directory": \(JSONValue.text(directory).json), "is_durable": \(isDurable)\(trouble)\(warnings)\(trial), "settings": \(array)}
      """
  }

  /// Reads the format of ``json``; nil for anything else.
  public init?(json bytes: [UInt8]) {
    guard case .group(let members)? = JSONValue(json5: bytes),
      case .text(let directory)? = members["directory"],
      case .boolean(let isDurable)? = members["is_durable"],
      case .list(let elements)? = members["settings"]
    else { return nil }
    rows = elements.compactMap { element in
      guard case .group(let row) = element, case .text(let key)? = row["key"], let value = row["value"],
        case .text(let origin)? = row["origin"]
      else { return nil }
      var read = Row(key: key, json: value.json, origin: origin)
      if let value = row["file_value"], case .text(let command)? = row["give_back"] {
        (read.fileJSON, read.command) = (value.json, command)
      }
      return read
    }
    (self.directory, self.isDurable) = (directory, isDurable)
    if case .text(let trouble)? = members["trouble"] { self.trouble = trouble }
    if case .list(let warnings)? = members["warnings"] {
      self.warnings = warnings.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
  }
}

extension DeliverySettings {
  /// The value of one of these settings by its path, as JSON.
  func json(_ path: String) -> String? {
    var shown = Configuration(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    shown.sendInterval = sendInterval
    (shown.main.batchSize, shown.main.loggingMode) = (batchSize, loggingMode)
    (shown.trip.batchSize, shown.trip.loggingMode) = (tripBatchSize, tripLoggingMode)
    return Schema.table[path]?.written(in: shown, revealing: false).json
  }
}
