import GNSSProtocol

extension ReceiverAnswer {
  /// The result of a command that expects `reply`: true if accepted, false if rejected, nil if the answer
  /// does not belong to it.
  ///
  /// `$PAIR001` with "in progress" or "busy" is no result.
  public func settles(_ reply: ReceiverCommand.Reply) -> Bool? {
    switch self {
    case .acknowledge(let type, let id, let accepted):
      reply == .acknowledge(class: type, id: id) ? accepted : nil
    case .pmtk(let command, let flag): reply == .pmtk(command) ? flag == 3 : nil
    case .pair(let command, let result): reply == .pair(command) ? Self.settled(result) : nil
    case .pqtm(let name, let accepted):
      // A module that does not support the query rejects it by its name.
      reply == .pqtm(name) || (reply == .version && name == "PQTMVERNO") ? accepted : nil
    case .casic(let type, let id, let accepted): reply == .casic(class: type, id: id) ? accepted : nil
    case .version(let identity):
      // A line of the banner holds less than the answer that follows.
      reply == .version && identity.firmware != nil ? true : nil
    case .savedState(let command, let response):
      // 1 is "done" after a save, 2 is "restored" at a start.
      reply == .savedState(command: command) ? response == (command == 3 ? 2 : 1) : nil
    case .aiding(let id, let accepted): reply == .aiding(id: id) ? accepted : nil
    case .started, .sinceStart, .antenna, .jamming, .spoofing, .batch, .storedEpoch, .errorText, .foreign: nil
    }
  }

  private static func settled(_ result: Int) -> Bool? {
    switch result {
    case 0: true
    case 1, 5: nil
    case _: false
    }
  }
}
