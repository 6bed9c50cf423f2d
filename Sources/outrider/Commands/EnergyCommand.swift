import Daemon
import Database
import Energy
import LocalAPI
import Quantities
import Settings
import Store
import SystemLoop

/// `outrider energy`: what each part of the box drew, and what the gauge saw.
enum EnergyCommand: Command {
  static let name = "energy"
  static let summary = "tell what each part of the box drew, and what nobody can explain"
  static let help = """
    Usage: outrider energy [--since TIME] [--json] [--config FILE] [--board NAME|FILE] [--set KEY=VALUE]…

    Asks the running logger for its ledger; without one it reads what was kept in the log. Charges are times in each
    state, as the logger saw them, by the currents of the board; a part without a figure has a time and no charge.
    Beside them stands what the gauge saw leave the battery, and the remainder that no part explains. Charges are
    reckoned at the battery, or without one at the rail of the host; a rail above the battery takes of it through a
    converter of \(Int(SupplyRail.converterEfficiency * 100)) %, one below it as through a linear regulator.

      --since TIME      from the whole day on in which it lies, for days of the local clock (TZ) are the finest that
                        is kept; of all days without it. The oldest are added up.
                        \(SinceOption.help)
      --json            one JSON object
    \(ConfigurationFiles.optionHelp)
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, options: ConfigurationFiles.options + ["--since"], flags: ["--json"])
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
        Console.complain("\(configuration.api.socket): the logger's answer is of another version; restart it")
        return 1
      }
      energy = report
    } else {
      do throws(DatabaseError) {
        energy = try kept(since, configuration)
      } catch {
        let explained = CheckRequest.explained(error, in: configuration.storage.directory)
        Console.complain(
          error.kind == .damaged
            ? "energy: \(explained)"
            : "no logger answers on \(configuration.api.socket), and there is no log to read: \(error)")
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

  /// What the last logger wrote down.
  private static func kept(_ since: Timestamp?, _ configuration: Configuration) throws(DatabaseError)
    -> StatusReport.Energy
  {
    let notes = try LogReader(directory: configuration.storage.directory).notes()
    var book = EnergyBook(BoardCurrents(configuration), now: .zero)
    if let text = notes[.energy] { book.restore(text) }
    return StatusReport.Energy(
      book.account(since: since.map(LocalTime.day(of:)), now: .zero), configuration)
  }
}
