import Provisioning
import Settings

extension HostReader {
  /// The boards with a valid file, and the serial ports.
  var hardware: SetupFacts {
    let boards = ConfigurationFiles.boardNames.compactMap { name -> SetupFacts.Board? in
      guard let board = try? ConfigurationFiles.board(.named(name)) else { return nil }
      return SetupFacts.Board(name: name, title: board.boardTitle ?? name, port: board.receiver.port)
    }
    return SetupFacts(boards: boards, model: model, ports: serialPorts, hasGPSD: hasGPSD)
  }
}
