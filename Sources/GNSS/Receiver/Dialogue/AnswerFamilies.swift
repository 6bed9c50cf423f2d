extension ReceiverAnswer {
  /// The families that say such things; nil for what any receiver may say.
  var families: [ReceiverFamily]? {
    switch self {
    case .acknowledge, .savedState, .aiding, .sinceStart, .batch, .storedEpoch: [.ubloxMessages, .ubloxKeys]
    case .pmtk: [.mediaTek]
    case .pair: [.airoha, .quectel]
    case .pqtm: [.quectel, .airoha, .mediaTek]
    case .casic: [.casic]
    case .version(let identity): [identity.family]
    case .started, .antenna, .jamming, .spoofing, .complaint, .foreign: nil
    }
  }

  /// The receiver is at the command that waits for `reply`, or too busy for it.
  func postpones(_ reply: ReceiverCommand.Reply) -> Bool {
    guard case .pair(let command, let result) = self, result == 1 || result == 5 else { return false }
    return reply == .pair(command)
  }
}
