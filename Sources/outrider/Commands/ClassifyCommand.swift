import Glibc
import Motion
import SystemLoop

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
      let classification = try classify(file, table, explains)
      Console.write(classification.output)
      if let complaint = classification.complaint { Console.complain("\(name): \(file): \(complaint)") }
      return 0
    case (let folder?, let out?, nil): return try classifyAll(in: folder, to: out, table, explains)
    case (nil, nil, nil): throw Arguments.Misuse(message: "wants a FILE, or --folder and --out")
    default: throw Arguments.Misuse(message: "wants either a FILE, or --folder and --out together")
    }
  }

  private static func classify(_ path: String, _ table: ActivityTable, _ explains: Bool) throws
    -> Classification
  {
    var classification = Classification(table: table, explains: explains)
    try AccelerationTable.read(path) { classification.take($0) }
    classification.finish()
    return classification
  }

  private static func readTable(_ path: String) throws -> ActivityTable {
    let text = try PlainOrGzipFile.open(
      path, directoryRemedy: "give --folder for all recordings in it"
    ).contents(upTo: 1 << 20)
    return try ActivityTable(text: String(decoding: text, as: UTF8.self))
  }

  /// Goes on where one file cannot be read, and fails at the end.
  private static func classifyAll(
    in folder: String, to out: String, _ table: ActivityTable, _ explains: Bool
  ) throws -> Int32 {
    guard let directory = opendir(folder) else {
      throw SystemError(call: "opendir", subject: folder, number: errno)
    }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".csv") || name.hasSuffix(".csv.gz") { names.append(name) }
    }
    closedir(directory)
    if mkdir(out, 0o777) != 0, errno != EEXIST {
      throw SystemError(call: "mkdir", subject: out, number: errno)
    }
    guard try !isSame(folder, out) else {
      Console.complain(
        "\(name): --out is the folder of the recordings; give another one, or they would be overwritten")
      return 1
    }
    var code: Int32 = 0
    var written: Set<String> = []
    for name in names.sorted() {
      let path = "\(folder)/\(name)"
      let result = String(name.prefix(name.count - (name.hasSuffix(".gz") ? 3 : 0)))
      do {
        guard try status(of: path).st_mode & S_IFMT == S_IFREG else {
          throw PlainOrGzipFile.Failure(path: path, reason: "is no file; left out")
        }
        guard written.insert(result).inserted else {
          throw PlainOrGzipFile.Failure(
            path: path, reason: "\(result) was made of another file already; left out, rename one of them")
        }
        try write(try classify(path, table, explains).output, to: "\(out)/\(result)")
      } catch {
        Console.complain("\(Self.name): \(error)")
        code = 1
      }
    }
    if names.isEmpty {
      Console.complain("\(name): \(folder) holds no .csv and no .csv.gz")
      return 1
    }
    return code
  }

  private static func status(of path: String) throws(SystemError) -> stat {
    var status = stat()
    try check("stat", on: path, stat(path, &status))
    return status
  }

  private static func isSame(_ a: String, _ b: String) throws(SystemError) -> Bool {
    let (a, b) = (try status(of: a), try status(of: b))
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    let file = Descriptor(
      owning: try check("open", on: path, open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)))
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(file.raw, $0.baseAddress?.advanced(by: written), $0.count - written)
      }
      if count < 0, errno == EINTR { continue }
      written += try check("write", on: path, count)
    }
  }
}
