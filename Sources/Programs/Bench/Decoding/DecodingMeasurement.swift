import Glibc
import Quantities
import System

/// The speed of `outrider decode` for recordings compared with `gpsdecode`, and its number of instructions.
enum DecodingMeasurement {
  /// A form of the command, and its target speed as a multiple of that of gpsdecode.
  private struct Form {
    let words: [String]
    let wanted: String?
  }

  private static let forms = [
    Form(words: ["decode"], wanted: "10"),
    Form(words: ["decode", "--sky"], wanted: "5"),
    Form(words: ["decode", "--summary"], wanted: nil),
  ]
  private static let amount = 100_000_000
  /// The amount of data for gpsdecode. It is slow, so it gets less data, and rates are compared.
  private static let amountOfReference = 10_000_000
  private static let rounds = 5

  /// Measures the released `outrider` in the directory.
  static func run(in directory: String) throws -> [Measurement] {
    let recordings = [
      (try RecordedBytes("NMEA", suffix: ".nmea"), "at most 20"),
      (try RecordedBytes("UBX", suffix: ".ubx"), "at most 12"),
      // One fix in every hundred bytes, which shows the cost of a fix.
      (try RecordedBytes("NAV-PVT alone", file: "derived-navpvt-110min.ubx"), "at most 14"),
    ].compactMap { recorded, most in recorded.map { (recorded: $0, most: most) } }
    guard !recordings.isEmpty else {
      let note =
        "skipped: no recordings in \(RecordedBytes.folder); set OUTRIDER_SHARED to its parent directory"
      return forms.map { Measurement($0.words.joined(separator: " "), nil, unit: "MB/s", note: note) }
    }
    let program = directory + "/outrider"
    let rates = try recordings.flatMap { try Self.rates(program, $0.recorded, in: directory) }
    let instructions = try InstructionMeasurement.run(program, recordings, in: directory)
    return rates + instructions
  }

  /// The rates of all forms for one format. The order changes every round; the minimum of the rounds counts.
  private static func rates(
    _ program: String, _ recorded: RecordedBytes, in directory: String
  ) throws -> [Measurement] {
    let whole = "\(directory)/\(recorded.format)"
    let part = whole + "-part"
    defer {
      unlink(whole)
      unlink(part)
    }
    let size = try recorded.write(about: amount, to: whole)
    let sizeOfPart = try recorded.write(about: amountOfReference, to: part)
    let hasReference = ChildProcess.exists("gpsdecode")

    var commands = forms.map { (words: [program] + $0.words, file: whole) }
    if hasReference { commands.append((["gpsdecode", "-j"], part)) }
    var least = commands.map { _ in Duration.seconds(3600) }
    for round in 0..<rounds {
      for index in round.isMultiple(of: 2) ? Array(commands.indices) : commands.indices.reversed() {
        let (words, file) = commands[index]
        least[index] = min(least[index], try processorTime(words, reading: file))
      }
    }
    let reference = hasReference ? Double(sizeOfPart) / 1e6 / least[forms.count].inSeconds : nil
    return zip(forms, least).map { form, time in
      var note: String?
      if form.words == forms[0].words {
        let other =
          hasReference ? "gpsdecode on \(megabytes(sizeOfPart)) of the same" : "gpsdecode is missing"
        note =
          "\(megabytes(size)), \(recorded.recordings) recordings repeated, to /dev/null; processor time of the "
          + "whole command, minimum of \(rounds); reference: \(other)"
      }
      return Measurement(
        "\(form.words.joined(separator: " ")), \(recorded.format)", Double(size) / 1e6 / time.inSeconds,
        unit: "MB/s", reference: reference, wanted: form.wanted, note: note)
    }
  }

  private static func processorTime(_ words: [String], reading path: String) throws -> Duration {
    let input = Descriptor(owning: try check("open", on: path, open(path, O_RDONLY | O_CLOEXEC)))
    guard let time = try ChildProcess(words, input: input.raw).processorTime() else {
      throw BenchError(
        "\(words.joined(separator: " ")) failed on copies of the recordings in \(RecordedBytes.folder)")
    }
    return time
  }

  private static func megabytes(_ bytes: Int) -> String { "\((bytes + 500_000) / 1_000_000) MB" }
}
