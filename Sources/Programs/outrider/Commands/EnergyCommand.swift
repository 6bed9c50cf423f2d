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
      .value(
        "--forecast", "CAPACITY",
        text: """
          print the days that a battery of this capacity lasts, as in 10Ah or 2500mAh: with the charge of the \
          ledger, or with --plan
          """),
      .value(
        "--plan", "STARTS,HOURS",
        text: """
          for --forecast: an average day with this number of starts of the host, each for one fix, and hours in \
          motion, with the currents of board and configuration, as in 24,0 or 12,2.5
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
    if let text = arguments.value("--plan") {
      return try plan(
        text, configuration, capacity: forecastCapacity(arguments), asJSON: arguments.has("--json"))
    }
    let capacity = try arguments.value("--forecast").map { _ in try forecastCapacity(arguments) }
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
    if let capacity {
      return forecast(
        energy, capacity: capacity, halts: configuration.host.sleep == .halt,
        asJSON: arguments.has("--json"))
    }
    if arguments.has("--json") {
      Console.write((energy.json ?? []) + Array("\n".utf8))
    } else {
      EnergyText.lines(energy, since: since != nil).forEach(Console.print)
    }
    return 0
  }

  private static func forecastCapacity(_ arguments: Arguments) throws -> Double {
    guard let text = arguments.value("--forecast") else {
      throw Arguments.Misuse(message: "--plan requires --forecast CAPACITY")
    }
    guard let capacity = BatteryCapacity.milliampereHours(text) else {
      throw Arguments.Misuse(
        message: "--forecast: expected a capacity such as 10Ah or 2500mAh, got \"\(text)\"")
    }
    return capacity
  }

  /// Prints the days by the ledger. It must cover a day, because the hours of a day differ. The time in which a host was
  /// halted is no time of logging.
  private static func forecast(
    _ energy: StatusReport.Energy, capacity: Double, halts: Bool, asJSON: Bool
  ) -> Int32 {
    let down = energy.shares.filter { $0.name == EnergyShare.hostDown.name }.reduce(0) { $0 + $1.time_s }
    let seconds = energy.logged_s + (halts ? down : 0)
    guard seconds >= 86_400 else {
      Console.complain(
        "energy: the ledger covers \((seconds / 3600).text(decimals: 1)) h, and a forecast needs a day; "
          + "use --plan, or outrider replay --device")
      return 1
    }
    let perDay = energy.total_mAh / seconds * 86_400
    return show(perDay, capacity, missing: energy.missing, asJSON: asJSON)
  }

  /// Prints the days of an average day.
  private static func plan(
    _ text: String, _ configuration: Configuration, capacity: Double, asJSON: Bool
  ) throws -> Int32 {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let starts = UInt16(parts[0]), starts <= 1440, let hours = Double(parts[1]),
      (0...24).contains(hours)
    else {
      throw Arguments.Misuse(
        message: "--plan: expected up to 1440 starts and up to 24 hours, as in 12,2.5, got \"\(text)\"")
    }
    var plan = DayPlan(starts: Int(starts), moving: .seconds(hours * 3600))
    plan.hasAccelerometer = configuration.accelerometer != nil
    plan.hasGauge = configuration.gauge != nil
    let currents = BoardCurrents(configuration)
    let host = HostCurrents(configuration)
    let charges = plan.charges(currents, host: host)
    let missing = [EnergyShare.hostBase, .receiver(.backup)].filter { currents[$0] == nil }
    if !asJSON {
      Console.print(
        host == nil
          ? "the host is always on (host.sleep is off, or its currents are unknown)"
          : "the host is down between its tasks")
      for share in EnergyShare.all {
        guard let charge = charges[share] else { continue }
        let name = share.name + String(repeating: " ", count: max(20 - share.name.count, 1))
        Console.print("\(name)\(charge.text(decimals: 2)) mAh a day")
      }
    }
    return show(
      charges.values.reduce(0, +), capacity,
      missing: missing.compactMap { share in
        share.consumers(at: configuration.host.sleep).first.map { "energy.\($0.rawValue)" }
      }, asJSON: asJSON)
  }

  private static func show(_ perDay: Double, _ capacity: Double, missing: [String], asJSON: Bool) -> Int32 {
    guard let life = BatteryLife(capacity: capacity, perDay: perDay) else {
      Console.complain("energy: no currents are known for this board; set them under energy")
      return 1
    }
    if asJSON {
      Console.print(
        "{\"mAh_per_day\":\(perDay.text(decimals: 2)),\"battery_mAh\":\(capacity.text(decimals: 0)),"
          + "\"days_fewest\":\(life.fewest.text(decimals: 1)),\"days_likeliest\":\(life.likeliest.text(decimals: 1)),"
          + "\"days_most\":\(life.most.text(decimals: 1))}")
      return 0
    }
    Console.print("\(perDay.text(decimals: 1)) mAh a day: \(life.sentence(capacity: capacity))")
    if !missing.isEmpty {
      Console.print("not included, because their currents are unknown: \(missing.joined(separator: ", "))")
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
