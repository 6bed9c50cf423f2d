import Glibc
import SystemLoop

/// A folder of recordings, and another one that gets a result of the same name for each.
struct RecordingFolder {
  var path: String
  var out: String

  /// Has each recording turned into its result by `convert`, which answers what was wrong with it, if anything. Goes on
  /// where one cannot be read and answers the exit code: 0 when all were. A result is there whole or not at all.
  func forEach(_ convert: (_ path: String, _ sink: @escaping Classification.Sink) throws -> String?) throws
    -> Int32
  {
    var code: Int32 = 0
    func complain(_ words: String) { Console.complain("\(ClassifyCommand.name): \(words)") }
    let names = try names { unreadable in
      complain("\(path)/\(unreadable): the name is no UTF-8; rename the file")
      code = 1
    }
    if mkdir(out, 0o777) != 0, errno != EEXIST {
      throw SystemError(call: "mkdir", subject: out, number: errno)
    }
    guard FileIdentity(path) != FileIdentity(out) else {
      complain("--out is the folder of the recordings; give another one, or they would be overwritten")
      return 1
    }
    var written: Set<String> = []
    for name in names {
      let source = "\(path)/\(name)"
      let result = String(name.prefix(name.count - (name.hasSuffix(".gz") ? 3 : 0)))
      do {
        guard FileIdentity(source)?.isRegular == true else {
          throw PlainOrGzipFile.Failure(path: source, reason: "is no file; left out")
        }
        guard written.insert(result).inserted else {
          throw PlainOrGzipFile.Failure(
            path: source, reason: "\(result) was made of another file already; left out, rename one of them")
        }
        guard try mayReplace("\(out)/\(result)") else {
          throw PlainOrGzipFile.Failure(
            path: "\(out)/\(result)", reason: "is there and no result; move it away, or give another --out")
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
      complain("\(path) holds no .csv and no .csv.gz")
      return 1
    }
    return code
  }

  /// Sorted. A name that is no text goes to `unreadable`, as far as it can be shown.
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

  /// Only what is not there, or an earlier result.
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
