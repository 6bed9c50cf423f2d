import Foundation
import Quantities
import Testing
import TextSnapshots

/// The program with bad input and failing surroundings.
///
/// Each fault is reported with its remedy and counted, costs no durable record, and the logger recovers when it ends.
@Suite struct FaultTests {
  static let texts = TextSnapshot("commands")

  /// The result of a program that has ended.
  struct Outcome {
    /// Nil if it did not end in time and was killed.
    var status: Int32?
    var output: String
    var errors: String
  }

  static func run(
    _ words: [String], in scratch: Scratch, environment: [String: String] = [:],
    executable: String = Program.executable
  ) throws -> Outcome {
    let program = try Program(words, in: scratch, environment: environment, executable: executable)
    let status = program.exitStatus(within: .seconds(30))
    return Outcome(status: status, output: program.standardOutput, errors: program.standardError)
  }

  /// Runs the program in a script of sh(1), with redirections or pipes; `$0` and `$@` are the command line.
  static func run(_ words: [String], _ script: String, in scratch: Scratch) throws -> Outcome {
    try run(["-c", script, Program.executable] + words, in: scratch, executable: "/bin/sh")
  }

  /// Runs the program with a terminal as standard input and output (script(1)); line ends are those of a file.
  static func runOnTerminal(_ words: [String], in scratch: Scratch) throws -> Outcome {
    let script = #"exec script --quiet --return --command "$(printf "'%s' " "$0" "$@")" /dev/null </dev/null"#
    var outcome = try run(words, script, in: scratch)
    outcome.output = outcome.output.replacing("\r\n", with: "\n")
    return outcome
  }

  /// `outrider status --json` for the logger of a bench.
  static func status(of bench: LoggerBench) throws -> [String: Any] {
    let outcome = try run(
      ["status", "--json", "--config", bench.scratch.path("config.json5")], in: bench.scratch)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    return try #require(object as? [String: Any])
  }

  /// Plays `pieces` and waits until they are read; the last epoch ends by a timeout.
  static func play(_ pieces: ArraySlice<Feeder.Piece>, on feeder: Feeder) {
    feeder.play(Array(pieces), every: .milliseconds(1))
    #expect(eventually(within: .seconds(20)) { feeder.isFinished }, "the line was not read")
  }

  /// Random bytes, which are the same for the same seed.
  static func noise(bytes count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }
}

extension LoggerBench {
  var database: String { "\(log)/outrider.db" }

  var standardError: String { program?.standardError ?? "" }

  /// The details of the events of a kind, in order; empty while there is no log.
  func events(_ kind: String) -> [String] {
    (try? LogFile.texts("SELECT detail FROM event WHERE kind = '\(kind)' ORDER BY id", of: database)) ?? []
  }

  func hasEvent(_ kind: String, within limit: Duration = .seconds(20)) -> Bool {
    eventually(within: limit) { !events(kind).isEmpty }
  }

  func says(_ text: String, within limit: Duration = .seconds(20)) -> Bool {
    eventually(within: limit) { standardError.contains(text) }
  }

  /// Kills the program, which equals a power cut for the process.
  func kill() {
    program?.send(SIGKILL)
    #expect(program?.exitStatus(within: .seconds(5)) == -SIGKILL)
  }
}

extension Recording {
  /// The bytes of one sentence of an epoch, by its formatter such as `GGA`.
  static func sentence(_ formatter: String, of piece: Feeder.Piece) -> [UInt8] {
    let lines = String(decoding: piece.bytes, as: UTF8.self).split(separator: "\r\n")
    guard let line = lines.first(where: { $0.dropFirst(3).hasPrefix(formatter) }) else { return [] }
    return Array("\(line)\r\n".utf8)
  }

  /// The epochs, reduced to one sentence each.
  func onlySentence(_ formatter: String) -> [Feeder.Piece] {
    pieces.map { Feeder.Piece(bytes: Self.sentence(formatter, of: $0)) }
  }
}
