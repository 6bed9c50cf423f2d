import Daemon
import Energy
import LoggerConfiguration
import Settings
import Tracking

/// The receiver currents and the configured policy of a replay.
struct ReplayWorld {
  /// The reason why a board or configuration cannot be used, as a complete message.
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
          message:
            "--board: \"\(board)\" is neither a board name nor a path; list the names with outrider boards")
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
    guard configuration.isTracking, settings.keepsLocations || settings.policy != .off else {
      throw Failure(
        description:
          "\(file): nothing to replay, because tracking is off; check tracking and main.tracking_mode")
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
        "\(board): the board has no current for \(missing.map(\.rawValue).joined(separator: ", ")); "
        + "add it under energy in a copy of the board file, or choose another board")
  }
}
