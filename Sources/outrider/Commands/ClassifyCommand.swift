import Motion

/// `outrider classify`: accelerometer recordings to one activity a second.
enum ClassifyCommand: Command {
  static let name = "classify"
  static let summary = "tell walking from driving in an accelerometer recording"
  static let help = """
    Usage: outrider classify [--explain] FILE|-
           outrider classify [--explain] --folder DIR --out DIR

    Reads comma-separated values with the columns t_s,ax_g,ay_g,az_g and, where known, speed_mps (seconds, g with
    gravity, m/s; others are ignored), plain or gzip, and prints one row a second: t_s,label,confidence,steps. The
    label is walking, running, cycling, driving, stationary or unknown; a vehicle that halts is driving;stationary.
    steps is the running total.

      --folder DIR   classify every NAME.csv and NAME.csv.gz in a directory …
      --out DIR      … to NAME.csv in this one, which is made where it is missing
      --explain      append probabilities, likelihoods and features of each second
      --table FILE   weigh the features by this table of scripts/fit-motion instead of the built-in one
    """

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, options: ["--folder", "--out", "--table"], flags: ["--explain"])
    try arguments.checkOperands(atMost: 1)
    let table = try arguments.value("--table").map(readTable) ?? .fitted
    let explains = arguments.has("--explain")
    switch (arguments.value("--folder"), arguments.value("--out"), arguments.operands.first) {
    case (nil, nil, let file?):
      let complaint = try classify(file, table, explains) { piece in
        // Whoever read the output has enough of it.
        guard Console.write(piece) else { throw Enough() }
      }
      if let complaint { Console.complain("\(name): \(file): \(complaint)") }
      return 0
    case (let folder?, let out?, nil):
      return try RecordingFolder(path: folder, out: out).forEach { path, sink in
        try classify(path, table, explains, sink)
      }
    case (nil, nil, nil): throw Arguments.Misuse(message: "wants a FILE, or --folder and --out")
    default: throw Arguments.Misuse(message: "wants either a FILE, or --folder and --out together")
    }
  }

  private struct Enough: Error {}

  /// What was wrong with the recording, in words; nil where nothing was.
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
