/// What an operator wrote, as it was read last: all that a configuration is made of but what was set while running.
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

  /// Every setting with its effective value. Throws everything that is wrong with a source; what is wrong with what was
  /// set while running is left out.
  public func configuration(_ stored: StoredLayers = StoredLayers()) throws(SettingsErrors) -> Configuration {
    try Configuration.read(
      board: board, file: file, stored: stored, overrides: overrides, fallbacks: fallbacks, chips: chips)
  }

  /// What is wrong with wishes of the operator, laid over what is stored; empty when nothing is.
  public func faults(of wishes: OperatorWishes, over stored: StoredLayers) -> [SettingsError] {
    wishes.faults + faults(of: wishes.values, over: stored)
  }

  /// What is wrong with values that the operator wants to set, laid over what is stored; empty when nothing is.
  public func faults(of wishes: [String: String], over stored: StoredLayers) -> [SettingsError] {
    var errors: [SettingsError] = []
    for path in wishes.keys.sorted() where Self.onlyInFile.contains(path) {
      errors.append(
        .misplacedKey(
          SettingsPlace(file: StoredLayers.operatorName, path: path), belongs: "in the configuration file"))
    }
    var layers = stored
    layers.operator.merge(wishes) { $1 }
    do throws(SettingsErrors) {
      let known = try configuration(stored).storedFaults
      errors += try configuration(layers).storedFaults.filter { !known.contains($0) }
    } catch {
      errors += error.errors
    }
    return errors
  }

  /// What has to be known before what was set can be found.
  static let onlyInFile: Set<String> = ["board", "storage.directory", "storage.allow_volatile", "api.socket"]
}
