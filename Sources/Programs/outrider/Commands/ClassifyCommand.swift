import Motion

/// `outrider classify`: classifies the motion in accelerometer recordings, second by second.
enum ClassifyCommand: Command {
  static let name = "classify"
  static let group = CommandGroup.analyse
  static let summary = "classify motion in accelerometer recordings"
  static let description = CommandDescription(
    forms: ["[--explain] [--table FILE] FILE|-", "[--explain] [--table FILE] --folder DIR --out DIR"],
    text: [
      "Classifies accelerometer recordings and prints one row per second: t_s,label,confidence,steps.",
      """
      The input is CSV, plain or gzip, with the columns t_s (s), ax_g, ay_g, az_g (g, with gravity) and \
      optionally speed_mps (m/s). Other columns are ignored. Labels are walking, running, cycling, \
      driving, stationary and unknown. A vehicle that has stopped is driving;stationary. The column \
      steps is a running total.
      """,
    ],
    options: [
      .value(
        "--folder", "DIR", .directory, text: "classify every NAME.csv and NAME.csv.gz in this directory"),
      .value(
        "--out", "DIR", .directory,
        text: "write the results to NAME.csv in this directory; created if missing"),
      .flag("--explain", text: "append probabilities, likelihoods and features of each second"),
      .value(
        "--table", "FILE", .file, text: "use this table of scripts/fit-motion instead of the built-in one"),
    ],
    operands: .file)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 1)
    let table = try arguments.value("--table").map(readTable) ?? .fitted
    let explains = arguments.has("--explain")
    switch (arguments.value("--folder"), arguments.value("--out"), arguments.operands.first) {
    case (nil, nil, let file?):
      let complaint = try classify(file, table, explains) { piece in
        // The reader has closed the output.
        guard Console.write(piece) else { throw Enough() }
      }
      if let complaint { Console.complain("\(name): \(file): \(complaint)") }
      return 0
    case (let folder?, let out?, nil):
      return try RecordingFolder(path: folder, out: out).forEach { path, sink in
        try classify(path, table, explains, sink)
      }
    case (nil, nil, nil): throw Arguments.Misuse(message: "expected FILE, or --folder and --out")
    default: throw Arguments.Misuse(message: "expected either FILE, or --folder and --out together")
    }
  }

  /// The reader of standard output has closed it.
  private struct Enough: Error {}

  /// Classifies one recording and returns a summary of its faults; nil if there are none.
  private static func classify(
    _ path: String, _ table: ActivityTable, _ explains: Bool, _ sink: @escaping Classification.Sink
  ) throws -> String? {
    var classification = Classification(table: table, explains: explains, sink: sink)
    do {
      try AccelerationTable.read(path) { try classification.take($0) }
      try classification.finish()
    } catch is Enough {
      return nil
    }
    if let breakingOff = classification.breakingOff {
      throw PlainOrGzipFile.Failure(path: path, reason: breakingOff)
    }
    return classification.complaint
  }

  private static func readTable(_ path: String) throws -> ActivityTable {
    let text = try PlainOrGzipFile.open(path).contents(upTo: 1 << 20)
    do {
      return try ActivityTable(text: String(decoding: text, as: UTF8.self))
    } catch {
      throw PlainOrGzipFile.Failure(path: path, reason: "\(error)")
    }
  }
}
