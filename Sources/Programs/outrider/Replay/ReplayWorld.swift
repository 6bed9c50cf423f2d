import Daemon
import Energy
import LoggerConfiguration
import Quantities
import Replay
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
  /// The device of board and configuration; nil without either.
  var device: DeviceModel?
  /// The interval of positions that the configuration requires of a stationary device.
  var interval: Duration?
  /// The capacity of the battery in mAh.
  var capacity = 10_000.0

  init(_ arguments: Arguments) throws {
    let board = arguments.value("--board")
    if arguments.value("--config") == nil, let board {
      guard let choice = BoardChoice(board) else {
        throw Arguments.Misuse(
          message:
            "--board: \"\(board)\" is neither a board name nor a path; list the names with outrider boards")
      }
      let configuration = try ConfigurationFiles.board(choice)
      currents = try Self.currents(configuration, board)
      if arguments.has("--device") { try adopt(configuration, board) }
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
    try adopt(configuration, file)
  }

  private mutating func adopt(_ configuration: Configuration, _ source: String) throws {
    configured = .configured(TrackerSettings(configuration))
    device = DeviceModel(configuration)
    interval = configuration.stationaryInterval
    capacity = configuration.gauge?.capacityMAh ?? configuration.power.capacityMAh ?? capacity
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
