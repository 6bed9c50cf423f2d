/// A key of the configuration file without effect because a stored value of `outrider set`, `outrider setup` or a server
/// overrides it.
public struct OverriddenKey: Equatable, Sendable, CustomStringConvertible {
  /// The dotted path, as in a listing of settings.
  public var key: String
  /// The name of the configuration file.
  public var file: String
  /// The value in the file, as JSON; secrets are hidden.
  public var fileJSON: String
  /// The effective value, in the same format.
  public var json: String
  /// The layer that overrides the key: ``Origin/server`` or ``Origin/operator``.
  public var origin: Origin
  /// The destination whose server set the value; nil for the operator, or if unknown.
  public var setter: String?
  /// The setting to unset. It differs from ``key`` if another setting excludes this one.
  public var unset: String

  /// The command that removes the stored value, so that the file's value applies.
  public var command: String { "outrider set --unset \(unset)" }

  /// The origin of the effective value, as text for people.
  public var setterText: String {
    switch origin {
    case .server: setter.map { "the server of \($0)" } ?? "a server"
    case .default, .board, .profile, .file, .operator, .override: "outrider set"
    }
  }

  public var description: String {
    let values = [fileJSON, json].map { $0.utf8.count <= Self.longestShown ? " \($0)" : "" }
    return
      "\(file): \(key): the value\(values[0]) has no effect because \(setterText) has set\(values[1].isEmpty ? " another" : values[1]); "
      + "to use the file's value, run \(command)"
  }

  /// The longest value that a message repeats, in bytes.
  private static let longestShown = 60
}

extension Configuration {
  /// Finds the keys of `file` that `stored` overrides in this configuration. A value that is equal overrides nothing.
  func overridden(in file: SourceText, by stored: StoredLayers, _ chips: ChipNames) -> [OverriddenKey] {
    guard !stored.operator.isEmpty || !stored.server.isEmpty else { return [] }
    var alone = Configuration(fallbacks: Fallbacks(deviceID: deviceID, apiSocket: api.socket))
    guard alone.apply(file, from: .file, chips).isEmpty else { return [] }
    let ofDevice = Self.listed.compactMap { setting -> OverriddenKey? in
      guard alone.origins[setting.path] == .file else { return nil }
      let unset = excluder(of: setting.path) ?? setting.path
      let origin = origins[unset] ?? .default
      guard origin == .server || origin == .operator, setting.isOverridden(alone, by: self) else {
        return nil
      }
      let single = destinations.count == 1 ? destinations.first?.name : nil
      return OverriddenKey(
        key: setting.path, file: file.name, fileJSON: setting.written(in: alone, revealing: false).json,
        json: setting.written(in: self, revealing: false).json, origin: origin,
        setter: origin == .server
          ? stored.setters[ServerKey(unset)]
            ?? single.flatMap {
              stored.server[ServerKey(unset, destination: $0)] == nil ? nil : $0
            } : nil,
        unset: unset)
    }
    let known = Set(ofDevice.map(\.key))
    return ofDevice + overriddenByServers(in: file, alone).filter { !known.contains($0.key) }
  }

  /// The stored setting that excludes this one: a receiver has one interface.
  private func excluder(of path: String) -> String? {
    let interfaces = [Schema.port.path, Schema.gpsd.path]
    guard interfaces.contains(path), origins[path] == .default else { return nil }
    return interfaces.first { $0 != path && origins[$0] != .default }
  }

  /// The keys that servers override for their own destinations only.
  private func overriddenByServers(in file: SourceText, _ alone: Configuration) -> [OverriddenKey] {
    destinationLayer.sorted { $0.key < $1.key }.flatMap { name, layer in
      var without = self
      without.destinationLayer[name] = nil
      return layer.keys.sorted().compactMap { path -> OverriddenKey? in
        let own = alone.destinations.first { $0.name == name }?.ownKey(for: path)
        let isOwn = own != nil && origins[Schema.destinations.path] == .file
        // The value of a single destination is listed as the setting itself.
        guard isOwn || destinations.count > 1 && alone.origins[path] == .file else { return nil }
        guard let json = delivery(to: name).json(path), let before = without.delivery(to: name).json(path),
          isOwn || json != before
        else { return nil }
        // The listing shows the value of a single destination as the setting itself.
        let key = destinations.count == 1 ? path : "destinations.\(Shown.key(name)).\(own ?? path)"
        return OverriddenKey(
          key: key, file: file.name,
          fileJSON: before, json: json, origin: .server, setter: name, unset: path)
      }
    }
  }
}

extension DestinationSettings {
  /// The key that gives this destination its own value of a setting; nil if the destination has none.
  fileprivate func ownKey(for path: String) -> String? {
    switch path {
    case Schema.sendInterval.path: sendInterval == nil ? nil : "send_interval"
    case Schema.batchSize.path, Schema.tripBatchSize.path: batchSize == nil ? nil : "batch_size"
    case Schema.loggingMode.path, Schema.tripLoggingMode.path: loggingMode == nil ? nil : "logging_mode"
    default: nil
    }
  }
}
