import Glibc
import System

/// A folder of recordings, and an output folder that receives a result of the same name for each.
struct RecordingFolder {
  var path: String
  var out: String

  /// Converts each recording with `convert`, which returns a summary of its faults. Returns the exit status.
  ///
  /// Unreadable recordings are skipped, with exit status 1. A result is written completely or not at all.
  func forEach(_ convert: (_ path: String, _ sink: @escaping Classification.Sink) throws -> String?) throws
    -> Int32
  {
    var code: Int32 = 0
    func complain(_ message: String) { Console.complain("\(ClassifyCommand.name): \(message)") }
    let names = try names { unreadable in
      complain("\(path)/\(unreadable): the name is not UTF-8; rename the file")
      code = 1
    }
    if mkdir(out, 0o777) != 0, errno != EEXIST {
      throw SystemError(call: "mkdir", subject: out, number: errno)
    }
    guard FileIdentity(path) != FileIdentity(out) else {
      complain("--out is the folder of the recordings; choose another one")
      return 1
    }
    var written: Set<String> = []
    for name in names {
      let source = "\(path)/\(name)"
      let result = String(name.prefix(name.count - (name.hasSuffix(".gz") ? 3 : 0)))
      do {
        guard FileIdentity(source)?.isRegular == true else {
          throw PlainOrGzipFile.Failure(path: source, reason: "not a regular file; skipped")
        }
        guard written.insert(result).inserted else {
          throw PlainOrGzipFile.Failure(
            path: source,
            reason: "another recording has the same result \(result); skipped, rename one of them")
        }
        guard try mayReplace("\(out)/\(result)") else {
          throw PlainOrGzipFile.Failure(
            path: "\(out)/\(result)",
            reason: "exists and is not a result of classify; move it, or choose another --out")
        }
        let file = try OutputFile(path: "\(out)/\(result)")
        if let complaint = try convert(source, { try file.write($0) }) { complain("\(source): \(complaint)") }
        try file.finish()
      } catch {
        complain("\(error)")
        code = 1
      }
    }
    if names.isEmpty, code == 0 {
      complain("\(path): no .csv or .csv.gz file")
      return 1
    }
    return code
  }

  /// Returns the sorted names of the recordings. Names that are not UTF-8 are passed to `unreadable`.
  private func names(_ unreadable: (String) -> Void) throws(SystemError) -> [String] {
    guard let directory = opendir(path) else {
      throw SystemError(call: "opendir", subject: path.isEmpty ? "\"\"" : path, number: errno)
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      let shown = String(decoding: bytes, as: UTF8.self)
      guard shown.hasSuffix(".csv") || shown.hasSuffix(".csv.gz") else { continue }
      if Array(shown.utf8) == bytes { names.append(shown) } else { unreadable(shown) }
    }
    return names.sorted()
  }

  /// True if the path is free or holds an earlier result.
  private func mayReplace(_ path: String) throws -> Bool {
    guard let file = FileIdentity(path) else { return true }
    guard file.isRegular else { return false }
    let room = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Classification.header.utf8.count, alignment: 1)
    defer { room.deallocate() }
    let count = try PlainOrGzipFile.open(path).read(into: room)
    return count == 0 || room[..<count].elementsEqual(Classification.header.utf8)
  }
}
