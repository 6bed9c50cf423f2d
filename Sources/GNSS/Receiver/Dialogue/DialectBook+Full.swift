extension DialectBook {
  /// Every language there is.
  static var full: DialectBook {
    DialectBook(
      queries: ReceiverCommand.versionQueries,
      query: { family in
        let name = family.queryName
        return ReceiverCommand.versionQueries.first { $0.name == name }
      },
      dialect: { $0.family == .unknown ? nil : GNSS.dialect(for: $0) })
  }
}

extension ReceiverFamily {
  /// The message that asks this family for its version.
  fileprivate var queryName: String? {
    switch self {
    case .ubloxMessages, .ubloxKeys: "MON-VER"
    case .mediaTek: "PMTK605"
    case .airoha: "PAIR021"
    case .quectel: "PQTMVERNO"
    case .casic: "PCAS06"
    case .sirf: "PSRF105"
    case .unknown: nil
    }
  }
}
