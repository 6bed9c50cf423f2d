import Energy
import Glibc
import Quantities
import Simulation
import SystemLoop

/// `outrider replay`: recorded days through the tracker, next to other policies.
enum ReplayCommand: Command {
  static let name = "replay"
  static let summary = "let policies live through recorded days, and say what each costs and keeps"
  static let help = """
    Usage: outrider replay [OPTION…] TRACK…

    Takes each track for a day of 24 hours and lets policies live through it in a simulated world: the tracker of this
    logger under several plans, the habits of known trackers, fixed intervals, and limits that know the future. Prints
    what the receiver drew and what the records keep of the day; several tracks are added up. The same seed gives the
    same figures.

      --policy NAME       may be repeated, all of them without it; NAME is one of
                          \(NamedPolicy.allCases.map(\.rawValue).joined(separator: " "))
                          and, with --config, \(ReplayPolicy.configuredName)
      --config FILE       adds a policy of that name: what a logger so configured records, with its plan, rules, filters,
                          trips and zones; nobody tells it of networks, ignition or battery
      --board NAME|FILE   the currents of this board's receiver; u-blox NEO-M8N without it
      --accelerometer CSV what the accelerometer measured, with the columns of outrider classify, in place of a modelled
                          one (one track); t_s counts from the first fix of the track, or is Unix time
      --no-accelerometer  the box has none: only the receiver can tell that it moves
      --since TIME        of a log 24 hours from then on; the newest 24 hours without it
                          \(SinceOption.help)
      --seed N            of everything that is left to chance (default 1)
      --json              one line of JSON for each track and policy; of several tracks one more for each policy, with
                          track null: charge and time are the mean of a day, the rest is of all days
      --points FILE       writes the records as t_unix,lat,lon (one track and one policy)
      --intervals FILE    writes when the receiver was powered as t_on,t_off,state (one track and one policy)

    A track is one of: a CSV with a header and the columns t_unix, lat and lon, where a column sky with 0 says that no
    fix is possible there; what a receiver sent (NMEA, UBX, CASIC); the directory of a log or its outrider.db, which is
    only read. The first two may be gzip. What lies more than a minute apart and more than 100 m is no part of the day,
    so that a log of each second tells most.
    Columns of the table: charge at the receiver in mAh a day, by state; hours powered; starts and failed searches;
    records; distance between true and recorded place while moving: mean, 95 % and greatest, and the greatest outside
    the first minute after a departure; error of the length; stops kept, and invented: where the records stop and the
    box moved on; departures and seconds to their first record.
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(
      words,
      options: [
        "--policy", "--seed", "--points", "--intervals", "--config", "--board", "--accelerometer", "--since",
      ], flags: ["--json", "--no-accelerometer"])
    let tracks = arguments.operands
    guard !tracks.isEmpty else { throw Arguments.Misuse(message: "which track?") }
    let seed = try seed(arguments)
    let since = try arguments.value("--since").map { try SinceOption($0, now: SystemClock.timestamp()).time }
    let recording = arguments.value("--accelerometer")
    guard recording == nil || tracks.count == 1 && !arguments.has("--no-accelerometer") else {
      throw Arguments.Misuse(message: "--accelerometer wants one track, and no --no-accelerometer")
    }
    let world = try ReplayWorld(arguments)
    let policies = try policies(arguments, world.configured)
    let files = ["--points", "--intervals"].filter { arguments.value($0) != nil }
    guard files.isEmpty || (policies.count == 1 && tracks.count == 1) else {
      throw Arguments.Misuse(message: "\(files[0]) wants one track and one --policy")
    }
    try checkOutputs(files.compactMap { arguments.value($0) }, inputs: tracks + [recording].compactMap { $0 })
    var table = ReplayTable(policies: policies.map(\.name))
    for path in tracks {
      let day = Day(try ReplayTrack.read(path, since: since))
      for omission in day.omissions { Console.complain("\(path): \(omission)") }
      var replay = DayReplay(day, seed: seed)
      replay.currents = world.currents
      replay.hasAccelerometer = !arguments.has("--no-accelerometer")
      if let recording { replay.hear(try ReplayMotion.edges(recording, dayStart: day.start)) }
      for policy in policies {
        let log = policy.log(of: replay)
        if let path = arguments.value("--points") { try TextFile.write(log.pointsText, to: path) }
        if let path = arguments.value("--intervals") { try TextFile.write(log.intervalsText, to: path) }
        let score = DayScore(log, of: replay, currents: world.currents)
        table.add(score, of: policy.name)
        if arguments.has("--json") { Console.print(score.json(policy: policy.name, track: path)) }
      }
    }
    if !arguments.has("--json") {
      Console.print(table.text)
    } else if tracks.count > 1 {
      Console.print(table.json)
    }
    return 0
  }

  /// No output lies over an input or another output.
  private static func checkOutputs(_ outputs: [String], inputs: [String]) throws {
    var taken: [FileIdentity: String] = [:]
    for path in inputs { if let file = FileIdentity(path) { taken[file] = path } }
    for path in outputs {
      guard let file = FileIdentity(path), file.isRegular else { continue }
      if let other = taken[file] {
        throw Arguments.Misuse(message: "\(path) is the same file as \(other); give another one")
      }
      taken[file] = path
    }
    guard Set(outputs).count == outputs.count else {
      throw Arguments.Misuse(message: "\(outputs[0]) is given twice; give another one")
    }
  }

  private static func seed(_ arguments: Arguments) throws -> UInt64 {
    guard let text = arguments.value("--seed") else { return 1 }
    guard let number = UInt64(text) else {
      throw Arguments.Misuse(message: "--seed wants a whole number, not \"\(text)\"")
    }
    return number
  }

  private static func policies(_ arguments: Arguments, _ configured: ReplayPolicy?) throws -> [ReplayPolicy] {
    let policies = try arguments.values("--policy").map { name -> ReplayPolicy in
      if let known = NamedPolicy(rawValue: name) { return .known(known) }
      guard name == ReplayPolicy.configuredName else {
        throw Arguments.Misuse(
          message: "no policy \"\(name)\"; there are \(ReplayPolicy.names.joined(separator: ", "))")
      }
      guard let configured else { throw Arguments.Misuse(message: "the policy \(name) wants --config FILE") }
      return configured
    }
    guard policies.isEmpty else { return policies }
    return NamedPolicy.allCases.map(ReplayPolicy.known) + [configured].compactMap { $0 }
  }
}
