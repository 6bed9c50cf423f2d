import Energy
import Glibc
import Simulation

/// `outrider replay`: recorded days through the receiver plan, next to other policies.
enum ReplayCommand: Command {
  static let name = "replay"
  static let summary = "let policies live through recorded days, and say what each costs and keeps"
  static let help = """
    Usage: outrider replay [--policy NAME]… [--seed N] [--json] [--points FILE] [--intervals FILE] TRACK.csv[.gz]…

    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(
      words, options: ["--policy", "--seed", "--points", "--intervals"], flags: ["--json"])
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
      let replay = DayReplay(Day(try TrackFile.read(path)), seed: seed)
      for policy in policies {
        let log = policy.log(of: replay)
        if let path = arguments.value("--points") { try TextFile.write(log.pointsText, to: path) }
        if let path = arguments.value("--intervals") { try TextFile.write(log.intervalsText, to: path) }
        let score = DayScore(log, of: replay, currents: .neoM8N)
        table.add(score, of: policy, day: path)
        if arguments.has("--json") { Console.print(score.json(policy: policy, track: path)) }
      }
    }
    if !arguments.has("--json") { Console.print(table.text) }
    return 0
  }
}
