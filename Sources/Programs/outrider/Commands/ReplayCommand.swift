import Energy
import GNSSProtocol
import GNSSReceiver
import Glibc
import Quantities
import Replay
import System

/// `outrider replay`: replays recorded days with the tracker and other policies.
enum ReplayCommand: Command {
  static let name = "replay"
  static let group = CommandGroup.analyse
  static let summary = "compare tracking policies on recorded days"
  static let description = CommandDescription(
    forms: ["TRACK…"],
    text: [
      """
      Replays recorded days of 24 hours with several tracking policies, and prints the charge of the \
      receiver and the quality of the track. Several tracks are added up. The same seed gives the same \
      figures.
      """
    ],
    options: [
      .value(
        "--policy", "NAME", .words(NamedPolicy.allCases.map(\.rawValue)), isRepeatable: true,
        text: """
          simulate this policy; repeatable; by default all of them:
          \(NamedPolicy.allCases.map(\.rawValue).joined(separator: " "))
          and, with --config, \(ReplayPolicy.configuredName)
          """),
      .value(
        "--config", "FILE", .file,
        text: """
          add the policy \(ReplayPolicy.configuredName): the tracker with the rules, filters, trips and \
          zones of this file (no networks, ignition or battery)
          """),
      .value(
        "--board", "NAME|FILE", .board,
        text: """
          use the receiver currents of this board (default: u-blox NEO-M8N)
          """),
      .flag(
        "--device",
        text: """
          account for the whole device of --config or --board: host, receiver, sensors and overhead, with the \
          sleep of the host; print the days that its battery lasts
          """),
      .value(
        "--battery", "CAPACITY",
        text: """
          capacity of the battery for --device, as in 10Ah or 2500mAh (default: that of the gauge, otherwise \
          10Ah)
          """),
      .value(
        "--accelerometer", "CSV", .file,
        text: """
          use this recording, with the columns of outrider classify, instead of a simulated accelerometer \
          (one track); t_s counts from the first fix, or is Unix time
          """),
      .flag("--no-accelerometer", text: "simulate a device without accelerometer"),
      .value(
        "--since", "TIME",
        text: """
          24 hours of a log from this time on (default: the newest 24 hours)
          \(SinceOption.help)
          """),
      .value("--seed", "N", text: "seed of the random numbers (default: 1)"),
      .flag(
        "--json",
        text: """
          print one line of JSON per track and policy; for several tracks also one line per policy, with \
          track null, the mean charge and time per day, and the totals of all other figures
          """),
      .value(
        "--points", "FILE", .file, text: "write the records as t_unix,lat,lon (one track and one policy)"),
      .value(
        "--intervals", "FILE", .file,
        text: """
          write the power intervals of the receiver as t_on,t_off,state (one track and one policy)
          """),
    ],
    notes: [
      """
      A track is a CSV file, a receiver recording (NMEA, UBX, CASIC), or a log (its directory or \
      outrider.db, read only). CSV files and recordings may be gzip. A CSV file has the columns t_unix, lat and lon; a column sky \
      with the value 0 marks rows without reception. Gaps of more than a minute and 100 m are left out, \
      so logs at 1 Hz give the best results.
      """,
      "Columns of the table:",
      """
        mAh/day                 charge of the receiver per day
        acquire, track, cyclic  its parts by state
        on h                    hours that the receiver was powered
        starts, failed          starts of the receiver, and failed acquisitions
        points                  records
        mean m, 95% m, max m    distance between true and recorded track while moving
        settled                 its maximum beyond the first minute after a departure
        dist %                  error of the length of the track
        stops, invented         recorded stops of all stops, and recorded stops that were none
        departs, 50% s, 95% s   departures, and the seconds until their first record
      """,
    ],
    operands: .file)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    let tracks = arguments.operands
    guard !tracks.isEmpty else { throw Arguments.Misuse(message: "expected at least one TRACK") }
    let seed = try seed(arguments)
    let since = try arguments.value("--since").map { try SinceOption($0, now: SystemClock.timestamp()).time }
    let recording = arguments.value("--accelerometer")
    guard recording == nil || tracks.count == 1 && !arguments.has("--no-accelerometer") else {
      throw Arguments.Misuse(
        message: "--accelerometer requires exactly one track, and excludes --no-accelerometer")
    }
    let world = try ReplayWorld(arguments)
    let device = try deviceModel(arguments, world)
    let capacity = try capacity(arguments) ?? world.capacity
    let policies = try policies(arguments, world.configured)
    let files = ["--points", "--intervals"].filter { arguments.value($0) != nil }
    guard files.isEmpty || (policies.count == 1 && tracks.count == 1) else {
      throw Arguments.Misuse(message: "\(files[0]) requires exactly one track and one --policy")
    }
    try checkOutputs(files.compactMap { arguments.value($0) }, inputs: tracks + [recording].compactMap { $0 })
    var table = ReplayTable(policies: policies.map(\.name))
    var total: (account: DeviceAccount, limit: Double, days: Int)?
    for path in tracks {
      let day = Day(try ReplayTrack.read(path, since: since))
      for omission in day.omissions { Console.complain("\(path): \(omission)") }
      var replay = DayReplay(day, seed: seed)
      replay.currents = world.currents
      replay.hasAccelerometer = !arguments.has("--no-accelerometer")
      if let recording { replay.receive(try ReplayMotion.edges(recording, dayStart: day.start)) }
      if let device, let log = world.configured?.log(of: replay, on: device), let account = log.device {
        let limit = device.limit(of: day, interval: world.interval)
        if arguments.has("--json") {
          Console.print(deviceLine(account.json(days: 1, limit: limit, capacity: capacity), track: path))
        }
        var sum = total?.account
        sum? += account
        total = (sum ?? account, (total?.limit ?? 0) + limit, (total?.days ?? 0) + 1)
      }
      for policy in device == nil ? policies : [] {
        let log = policy.log(of: replay)
        if let path = arguments.value("--points") { try TextFile.write(log.pointsText, to: path) }
        if let path = arguments.value("--intervals") { try TextFile.write(log.intervalsText, to: path) }
        let score = DayScore(log, of: replay, currents: world.currents)
        table.add(score, of: policy.name)
        if arguments.has("--json") { Console.print(score.json(policy: policy.name, track: path)) }
      }
    }
    if let total {
      let limit = total.limit / Double(total.days)
      if !arguments.has("--json") {
        total.account.lines(days: total.days, limit: limit, capacity: capacity).forEach(Console.print)
      } else if tracks.count > 1 {
        let json = total.account.json(days: total.days, limit: limit, capacity: capacity)
        Console.print(deviceLine(json, track: nil))
      }
    } else if !arguments.has("--json") {
      Console.print(table.text)
    } else if tracks.count > 1 {
      Console.print(table.json)
    }
    return 0
  }

  /// The device of `--device`; nil without it.
  private static func deviceModel(_ arguments: Arguments, _ world: ReplayWorld) throws -> DeviceModel? {
    guard arguments.has("--device") else {
      guard arguments.value("--battery") == nil else {
        throw Arguments.Misuse(message: "--battery requires --device")
      }
      return nil
    }
    guard let device = world.device else {
      throw Arguments.Misuse(message: "--device requires --config or --board, which describe the device")
    }
    for option in ["--policy", "--points", "--intervals"] where !arguments.values(option).isEmpty {
      throw Arguments.Misuse(message: "--device and \(option) exclude each other")
    }
    return device
  }

  private static func capacity(_ arguments: Arguments) throws -> Double? {
    guard let text = arguments.value("--battery") else { return nil }
    guard let capacity = BatteryCapacity.milliampereHours(text) else {
      throw Arguments.Misuse(
        message: "--battery: expected a capacity such as 10Ah or 2500mAh, got \"\(text)\"")
    }
    return capacity
  }

  private static func deviceLine(_ json: String, track: String?) -> String {
    "{\"track\":\(track.map(DayScore.quoted) ?? "null"),\"device\":\(json)}"
  }

  /// Checks the outputs. Throws if one is the same file as an input or another output.
  private static func checkOutputs(_ outputs: [String], inputs: [String]) throws {
    var taken: [FileIdentity: String] = [:]
    for path in inputs { if let file = FileIdentity(path) { taken[file] = path } }
    for path in outputs {
      guard let file = FileIdentity(path), file.isRegular else { continue }
      if let other = taken[file] {
        throw Arguments.Misuse(message: "\(path) is the same file as \(other); choose another one")
      }
      taken[file] = path
    }
    guard Set(outputs).count == outputs.count else {
      throw Arguments.Misuse(message: "\(outputs[0]) is given twice; choose another one")
    }
  }

  private static func seed(_ arguments: Arguments) throws -> UInt64 {
    guard let text = arguments.value("--seed") else { return 1 }
    guard let number = UInt64(text) else {
      throw Arguments.Misuse(message: "--seed: expected a whole number, got \"\(text)\"")
    }
    return number
  }

  private static func policies(_ arguments: Arguments, _ configured: ReplayPolicy?) throws -> [ReplayPolicy] {
    let policies = try arguments.values("--policy").map { name -> ReplayPolicy in
      if let known = NamedPolicy(rawValue: name) { return .known(known) }
      guard name == ReplayPolicy.configuredName else {
        throw Arguments.Misuse(
          message: "no policy \"\(name)\"; available: \(ReplayPolicy.names.joined(separator: ", "))")
      }
      guard let configured else {
        throw Arguments.Misuse(message: "the policy \(name) requires --config FILE")
      }
      return configured
    }
    guard policies.isEmpty else { return policies }
    return NamedPolicy.allCases.map(ReplayPolicy.known) + [configured].compactMap { $0 }
  }
}
