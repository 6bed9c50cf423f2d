import Daemon
import Energy
import Settings
import Tracking

/// Whose currents and words a replay takes.
struct ReplayWorld {
  /// Why board or configuration do not serve; the message is complete.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  var currents = ReceiverCurrents.neoM8N
  /// The policy of `--config`; nil without it.
  var configured: ReplayPolicy?

  init(_ arguments: Arguments) throws {
    let board = arguments.value("--board")
    if arguments.value("--config") == nil, let board {
      guard let choice = BoardChoice(board) else {
        throw Arguments.Misuse(
          message: "--board: \"\(board)\" is neither a name nor a path; see outrider boards")
      }
      currents = try Self.currents(try ConfigurationFiles.board(choice), board)
      return
    }
    guard let file = arguments.value("--config") else { return }
    let configuration = try ConfigurationFiles(arguments).read()
    if let board {
      currents = try Self.currents(configuration, board)
    } else {
      currents = ReceiverCurrents(configuration.energy) ?? currents
    }
    let settings = TrackerSettings(configuration)
    guard configuration.isTracking, settings.keepsLocations || settings.scheme != .off else {
      throw Failure(
        description: "\(file): tracking is off (tracking, main.tracking_mode): nothing to live through")
    }
    configured = .configured(settings)
  }

  private static func currents(_ configuration: Configuration, _ board: String) throws -> ReceiverCurrents {
    if let currents = ReceiverCurrents(configuration.energy) { return currents }
    let missing = [Consumer.receiverAcquiring, .receiverTracking, .receiverSleeping].filter {
      configuration.energy.currents[$0] == nil
    }
    throw Failure(
      description:
        "\(board): the board gives no \(missing.map(\.rawValue).joined(separator: ", ")) of its receiver; "
        + "put them under energy in a copy of its file, or name another board")
  }
}
