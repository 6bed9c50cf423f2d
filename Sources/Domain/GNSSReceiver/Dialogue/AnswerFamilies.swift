import GNSSProtocol

extension ReceiverAnswer {
  /// The families that send such an answer; nil if any receiver may send it.
  var families: [ReceiverFamily]? {
    switch self {
    case .acknowledge, .savedState, .aiding, .sinceStart, .batch, .storedEpoch: [.ubloxMessages, .ubloxKeys]
    case .pmtk: [.mediaTek]
    case .pair: [.airoha, .quectel]
    case .pqtm: [.quectel, .airoha, .mediaTek]
    case .casic: [.casic]
    case .version(let identity): [identity.family]
    case .started, .antenna, .jamming, .spoofing, .errorText, .foreign: nil
    }
  }

  /// True if the receiver is still processing the command that expects `reply`, or is too busy for it.
  func postpones(_ reply: ReceiverCommand.Reply) -> Bool {
    guard case .pair(let command, let result) = self, result == 1 || result == 5 else { return false }
    return reply == .pair(command)
  }
}
