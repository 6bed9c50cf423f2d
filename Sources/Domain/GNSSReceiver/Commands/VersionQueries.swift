import GNSSProtocol

extension ReceiverCommand {
  /// The version queries of all families, in a harmless order: every family ignores unknown queries.
  ///
  /// u-blox answers an unknown sentence with an error in TXT, so its own query comes first.
  public static let versionQueries: [ReceiverCommand] = [
    UBX.version,
    .sentence("PMTK605", reply: .version),
    .sentence("PAIR021", reply: .version),
    .sentence("PQTMVERNO", reply: .version),
    .sentence("PCAS06,0", reply: .version),
    .sentence("PSRF105,1", reply: .version),
  ]

  /// The one of ``versionQueries`` that `family` answers; nil if it answers none.
  static func versionQuery(for family: ReceiverFamily) -> ReceiverCommand? {
    let name: String? =
      switch family {
      case .ubloxMessages, .ubloxKeys: "MON-VER"
      case .mediaTek: "PMTK605"
      case .airoha: "PAIR021"
      case .quectel: "PQTMVERNO"
      case .casic: "PCAS06"
      case .sirf: "PSRF105"
      case .unknown: nil
      }
    return versionQueries.first { $0.name == name }
  }
}
