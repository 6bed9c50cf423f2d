import LocalAPI
import Settings

extension StatusReport {
  /// The keys of the configuration file without effect; nil if there is none.
  public static func overriddenKeys(of configuration: Configuration) -> [OverriddenKey]? {
    let keys = configuration.overriddenKeys.map {
      OverriddenKey(key: $0.key, origin: "\($0.origin.word)", give_back: $0.command)
    }
    return keys.isEmpty ? nil : keys
  }
}
