import LocalAPI

/// Renders the status of the storage medium as text.
enum StorageText {
  /// Returns one line, such as `2.1 MB a day, 3 % of all writes to mmcblk0; 20 % of its life is used`; nil if nothing is
  /// known but the disk.
  static func summary(_ storage: StatusReport.Storage) -> String? {
    var parts: [String] = []
    let disk = storage.disk ?? "the medium"
    if let written = storage.written_bytes_day {
      var text = "\(size(written.values.reduce(0) { $0.addingReportingOverflow($1).partialValue })) a day"
      if let share = storage.own_percent { text += ", \(share) % of all writes to \(disk)" }
      parts.append(text)
    } else if let lifetime = storage.medium_bytes_lifetime {
      parts.append("\(size(lifetime)) written to \(disk) so far")
    }
    if let used = storage.used_percent {
      let by = storage.used_by == "endurance" ? "storage.endurance" : "the life of \(disk)"
      parts.append("\(used) % of \(by) used")
    }
    if let days = storage.days_left { parts.append(left(days)) }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  private static func left(_ days: Int) -> String {
    switch days {
    case ..<1: "used up"
    case 36_500...: "more than 100 years left"
    case 730...: "\(days / 365) years left"
    default: StatusText.counted(days, "day") + " left"
    }
  }

  private static func size(_ bytes: Int) -> String {
    for (unit, name) in [(1_000_000_000_000.0, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")]
    where Double(bytes) >= unit {
      let tenths = Int((Double(bytes) / unit * 10).rounded())
      return tenths % 10 == 0 || tenths >= 1000
        ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
    }
    return "\(bytes) B"
  }
}
