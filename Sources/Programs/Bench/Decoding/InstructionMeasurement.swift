import Quantities
import System

/// Instructions per byte of `outrider decode --summary`, counted by valgrind, without those of the start.
enum InstructionMeasurement {
  private static let head = 2_000_000
  private static let command = ["decode", "--summary"]

  static func run(
    _ program: String, _ recordings: [(recorded: RecordedBytes, most: String)], in directory: String
  ) throws -> [Measurement] {
    let unit = "instructions/byte"
    let rows = recordings.map {
      ("\(command.joined(separator: " ")), \($0.recorded.format), instructions", $0.most)
    }
    guard ChildProcess.exists("valgrind") else {
      return rows.map { Measurement($0, nil, unit: unit, wanted: $1, note: "valgrind is missing") }
    }
    let nothing = directory + "/nothing"
    try BytesFile.write([], to: nothing)
    let start = try instructions(program, reading: nothing, in: directory)
    let measured = try zip(rows, recordings).map { row, recording in
      let path = "\(directory)/head"
      try recording.recorded.write(head: head, to: path)
      let count = try instructions(program, reading: path, in: directory) - start
      return Measurement(row.0, count / Double(head), unit: unit, wanted: row.1)
    }
    return measured + [
      Measurement(
        "\(command.joined(separator: " ")), start", start / 1e6, unit: "million instructions",
        note: "with an empty file, by callgrind; excluded from the figures per byte, which are for the first "
          + "\(head / 1_000_000) MB")
    ]
  }

  /// The instruction count of the whole command.
  private static func instructions(
    _ program: String, reading path: String, in directory: String
  ) throws -> Double {
    let counts = directory + "/callgrind"
    let words = ["valgrind", "--quiet", "--tool=callgrind", "--callgrind-out-file=\(counts)", program]
    guard try ChildProcess(words + command + [path]).wait() else {
      throw BenchError("valgrind failed; for its message run: \((words + command).joined(separator: " "))")
    }
    // A line `totals: COUNT` ends the file (Callgrind Format Specification, valgrind manual).
    let text = String(decoding: try FileBytes.read(counts, limit: 1 << 28), as: UTF8.self)
    let total = text.split(separator: "\n").last { $0.hasPrefix("totals: ") }
    guard let count = total.flatMap({ Double($0.dropFirst(8)) }) else {
      throw BenchError("\(counts): no line \"totals:\"")
    }
    return count
  }
}
