import Energy
import Glibc
import Simulation

/// `outrider replay`: recorded days through the receiver plan, next to other policies.
enum ReplayCommand: Command {
  static let name = "replay"
  static let summary = "let policies live through recorded days, and say what each costs and keeps"
  static let help = """
    Usage: outrider replay [OPTION…] TRACK.csv[.gz]…

    Takes each track for a day of 24 hours and lets policies live through it in a simulated world: the receiver plan
    of this logger, the habits of known trackers, fixed intervals, and limits that know the future. Prints what the
    receiver drew and what the records keep of the day; several tracks are added up. The same seed gives the same
    figures.

      --policy NAME       may be repeated, all of them without it; NAME is one of
                          \(NamedPolicy.allCases.map(\.rawValue).joined(separator: " "))
      --seed N            of everything that is left to chance (default 1)
      --json              one line of JSON for each track and policy; of several tracks one more for each policy, with
                          track null: charge and time are the mean of a day, the rest is of all days
      --points FILE       writes the records as t_unix,lat,lon (one track and one policy)
      --intervals FILE    writes when the receiver was powered as t_on,t_off,state (one track and one policy)
      --no-accelerometer  the box has none: only the receiver can tell that it moves

    A track has a header and the columns t_unix, lat and lon; a column sky with 0 says that no fix is possible there.
    Columns of the table: charge at the receiver in mAh a day, by state; hours powered; starts and failed searches;
    records; distance between true and recorded place while moving: mean, 95 % and greatest, and the greatest outside
    the first minute after a departure; error of the length; stops kept; departures and seconds to their first record.
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(
      words, options: ["--policy", "--seed", "--points", "--intervals"],
      flags: ["--json", "--no-accelerometer"])
    guard !arguments.operands.isEmpty else { throw Arguments.Misuse(message: "which track?") }
    var seed: UInt64 = 1
    if let text = arguments.value("--seed") {
      guard let number = UInt64(text) else {
        throw Arguments.Misuse(message: "--seed wants a whole number, not \"\(text)\"")
      }
      seed = number
    }
    var policies: [NamedPolicy] = []
    for name in arguments.values("--policy") {
      guard let policy = NamedPolicy(rawValue: name) else {
        let known = NamedPolicy.allCases.map(\.rawValue).joined(separator: ", ")
        throw Arguments.Misuse(message: "no policy \"\(name)\"; there are \(known)")
      }
      policies.append(policy)
    }
    if policies.isEmpty { policies = NamedPolicy.allCases }
    let files = ["--points", "--intervals"].filter { arguments.value($0) != nil }
    guard files.isEmpty || (policies.count == 1 && arguments.operands.count == 1) else {
      throw Arguments.Misuse(message: "\(files[0]) wants one track and one --policy")
    }
    var table = ReplayTable(policies: policies)
    for path in arguments.operands {
      var replay = DayReplay(Day(try RecordedTrackFile.read(path)), seed: seed)
      replay.hasAccelerometer = !arguments.has("--no-accelerometer")
      for policy in policies {
        let log = policy.log(of: replay)
        if let path = arguments.value("--points") { try TextFile.write(log.pointsText, to: path) }
        if let path = arguments.value("--intervals") { try TextFile.write(log.intervalsText, to: path) }
        let score = DayScore(log, of: replay, currents: .neoM8N)
        table.add(score, of: policy, day: path)
        if arguments.has("--json") { Console.print(score.json(policy: policy, track: path)) }
      }
    }
    if !arguments.has("--json") {
      Console.print(table.text)
    } else if arguments.operands.count > 1 {
      Console.print(table.json)
    }
    return 0
  }
}
