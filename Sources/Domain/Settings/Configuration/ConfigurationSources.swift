/// The sources of a configuration as last read, without the values that were set at run time.
public struct ConfigurationSources: Sendable {
  public var board: SourceText?
  public var file: SourceText?
  public var overrides: [String]
  public var fallbacks: Fallbacks
  public var chips: ChipNames

  public init(
    board: SourceText? = nil, file: SourceText? = nil, overrides: [String] = [], fallbacks: Fallbacks,
    chips: ChipNames = ChipNames()
  ) {
    self.board = board
    self.file = file
    self.overrides = overrides
    self.fallbacks = fallbacks
    self.chips = chips
  }

  /// Merges the sources and `stored` into a configuration. Throws all errors of the sources; invalid values in `stored` are
  /// ignored.
  public func configuration(_ stored: StoredLayers = StoredLayers()) throws(SettingsErrors) -> Configuration {
    try Configuration.read(
      board: board, file: file, stored: stored, overrides: overrides, fallbacks: fallbacks, chips: chips)
  }

  /// The errors of the operator's request, applied over `stored`; empty if it is valid.
  public func faults(of request: OperatorRequest, over stored: StoredLayers) -> [SettingsError] {
    request.faults + faults(of: request.values, over: stored)
  }

  /// The errors of values that the operator requests, applied over `stored`; empty if they are valid.
  public func faults(of request: [String: String], over stored: StoredLayers) -> [SettingsError] {
    var errors: [SettingsError] = []
    for path in request.keys.sorted() where Self.onlyInFile.contains(path) {
      errors.append(
        .misplacedKey(
          SettingLocation(file: StoredLayers.operatorName, path: path), belongs: "in the configuration file"))
    }
    var layers = stored
    layers.operator.merge(request) { $1 }
    do throws(SettingsErrors) {
      let known = try configuration(stored).storedFaults
      errors += try configuration(layers).storedFaults.filter { !known.contains($0) }
    } catch {
      errors += error.errors
    }
    return errors
  }

  /// The settings that are required to find the stored values, and the instruction to the boot partition's reader. Only a
  /// file may give them.
  static let onlyInFile: Set<String> = [
    "board", "apply_board", "storage.directory", "storage.allow_volatile", "api.socket",
  ]
}
