extension ReceiverCommand {
  /// Asks who is there, in the order that harms nobody: each family ignores what it does not know.
  ///
  /// u-blox answers an unknown sentence with a complaint in TXT, so its own question comes first.
  public static let versionQueries: [ReceiverCommand] = [
    UBX.version,
    .sentence("PMTK605", reply: .version),
    .sentence("PAIR021", reply: .version),
    .sentence("PQTMVERNO", reply: .version),
    .sentence("PCAS06,0", reply: .version),
    .sentence("PSRF105,1", reply: .version),
  ]
}
