import Daemon
import Database
import Energy
import LocalAPI
import LoggerConfiguration
import Quantities
import Settings
import Store
import System

/// `outrider energy`: shows the charge per consumer, and the charge measured by the fuel gauge.
enum EnergyCommand: Command {
  static let name = "energy"
  static let group = CommandGroup.query
  static let summary = "show the charge of each consumer"
  static let description = CommandDescription(
    text: [
      """
      Shows the estimated charge per consumer, the charge measured by the fuel gauge, and the \
      unexplained difference.
      """,
      """
      The ledger comes from the running logger, or from the log if none is running. An estimate is the \
      time in each state times the board's current. Consumers without a current have a time only. \
      Charges refer to the battery, or without one to the supply rail of the host. A rail above the \
      battery voltage is fed by a converter of \(Int(SupplyRail.converterEfficiency * 100)) % \
      efficiency; a lower one by a linear regulator.
      """,
    ],
    options: [
      .value(
        "--since", "TIME",
        text: """
          start with the local day (TZ) of this time; by default all days
          \(SinceOption.help)
          """),
      .flag("--json", text: "print one JSON object"),
    ] + ConfigurationFiles.options)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    let since = try arguments.value("--since").map {
      try SinceOption($0, now: SystemClock.timestamp()).time
    }
    let configuration: Configuration
    do { configuration = try ConfigurationFiles(arguments).read() } catch {
      Console.complain("\(error)")
      return 2
    }
    let path = "/energy" + (since.map { "?since=\($0.iso8601())" } ?? "")
    let energy: StatusReport.Energy
    if let answer = try LocalCall.ask(configuration.api.socket, .get, path) {
      guard let report = StatusReport.Energy(json: answer) else {
        Console.complain("\(configuration.api.socket): the logger is of another version; restart it")
        return 1
      }
      energy = report
    } else {
      do throws(DatabaseError) {
        energy = try kept(since, configuration)
      } catch {
        let directory = configuration.storage.directory
        let reason =
          AccessAdvice(readingLogIn: directory)?.description
          ?? "\(CheckRequest.explained(error, in: directory))"
        Console.complain(
          error.kind == .damaged
            ? "energy: \(reason)"
            : "no logger responds on \(configuration.api.socket), and the log cannot be read: \(reason)")
        return 1
      }
    }
    if arguments.has("--json") {
      Console.write((energy.json ?? []) + Array("\n".utf8))
    } else {
      EnergyText.lines(energy, since: since != nil).forEach(Console.print)
    }
    return 0
  }

  /// Returns the ledger that the last logger saved in the log.
  private static func kept(_ since: Timestamp?, _ configuration: Configuration) throws(DatabaseError)
    -> StatusReport.Energy
  {
    let savedStates = try LogReader(directory: configuration.storage.directory).savedStates()
    var ledger = EnergyLedger(BoardCurrents(configuration), now: .zero)
    if let text = savedStates[.energy] { ledger.restore(text) }
    return StatusReport.Energy(
      ledger.account(since: since.map(LocalTime.day(of:)), now: .zero), configuration)
  }
}
