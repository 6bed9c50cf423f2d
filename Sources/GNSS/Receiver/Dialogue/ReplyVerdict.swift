/// What an answer says of a command that waits for its reply.
enum ReplyVerdict: Equatable, Sendable {
  case accepted, refused
  /// The receiver is at it, or asks to be left alone for now.
  case inProgress
  case unrelated
}

extension ReceiverAnswer {
  func verdict(on reply: ReceiverCommand.Reply) -> ReplyVerdict {
    switch (self, reply) {
    case (.acknowledge(let type, let id, let accepted), .acknowledge(let wantedType, let wantedID)),
      (.casic(let type, let id, let accepted), .casic(let wantedType, let wantedID)):
      guard type == wantedType, id == wantedID else { return .unrelated }
      return accepted ? .accepted : .refused
    case (.pmtk(let command, let flag), .pmtk(command)): return flag == 3 ? .accepted : .refused
    case (.pair(let command, let result), .pair(command)):
      switch result {
      case 0: return .accepted
      case 1, 5: return .inProgress
      case _: return .refused
      }
    case (.pqtm(let name, let accepted), .pqtm(name)): return accepted ? .accepted : .refused
    case (.version, .version): return .accepted
    case (.savedState(let command, let response), .savedState(command)):
      return response == 1 ? .accepted : .refused
    case (.aiding(let id, let accepted), .aiding(id)): return accepted ? .accepted : .refused
    case (.acknowledge, _), (.pmtk, _), (.pair, _), (.pqtm, _), (.casic, _), (.version, _), (.savedState, _),
      (.aiding, _), (.started, _), (.sinceStart, _), (.antenna, _), (.jamming, _), (.complaint, _),
      (.foreign, _):
      return .unrelated
    }
  }

  /// The families that say such things; nil for what any receiver may say.
  var families: [ReceiverFamily]? {
    switch self {
    case .acknowledge, .savedState, .aiding, .sinceStart: [.ubloxMessages, .ubloxKeys]
    case .pmtk: [.mediaTek]
    case .pair: [.airoha, .quectel]
    case .pqtm: [.quectel, .airoha, .mediaTek]
    case .casic: [.casic]
    case .version(let identity): [identity.family]
    case .started, .antenna, .jamming, .complaint, .foreign: nil
    }
  }
}
