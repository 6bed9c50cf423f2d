import Quantities
import Settings

/// Checks desired values against the settings of the versions that the devices have.
struct SettingsCheck {
  /// The rejected values, with versions and remedy; one line each.
  private(set) var objections: [String] = []
  /// The devices whose version is not known well enough for a check; one line each.
  private(set) var warnings: [String] = []

  /// Checks values, as JSON by key. `versions` are those of the devices for which they are desired, with their number; nil
  /// for devices that have not reported one. `stored` returns the settings of another version than this program's.
  init(
    of values: [(key: String, value: String)], versions: [(version: String?, devices: Int64)],
    stored: (String) throws -> String?
  ) rethrows {
    let own = Release.version
    // Devices without a report, and those to come, have this program's version as far as known.
    var schemas = [(ServerSchema.thisBuild, own)]
    if !versions.isEmpty, !versions.contains(where: { $0.version == nil || $0.version == own }) {
      schemas = []
    }
    for case (let version?, let count) in versions where version != own {
      if let schema = try stored(version).flatMap({ ServerSchema(json: Array($0.utf8)) }) {
        schemas.append((schema, version))
      } else {
        warnings.append(
          "not checked for \(Self.devices(count)) of version \(version), whose settings are unknown; add them: "
            + "outrider-collector fleet schema --add FILE")
      }
    }
    if let count = versions.first(where: { $0.version == nil })?.devices {
      warnings.append("\(Self.devices(count)) without a report: checked as version \(own)")
    }
    for (key, value) in values {
      var found: [(reason: String, versions: [String])] = []
      for (schema, version) in schemas {
        guard let reason = schema.objection(to: value, for: key) else { continue }
        if let index = found.firstIndex(where: { $0.reason == reason }) {
          found[index].versions.append(version)
        } else {
          found.append((reason, [version]))
        }
      }
      objections += found.map { "\(key): \($0.reason) (version \($0.versions.joined(separator: ", ")))" }
    }
  }

  private static func devices(_ count: Int64) -> String { count == 1 ? "1 device" : "\(count) devices" }
}
