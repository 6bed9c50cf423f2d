import FoundationEssentials
import SystemLoop

/// What receivers said in one format: the recordings of the shared folder, one behind the other.
struct RecordedBytes {
  /// As people name the format.
  let format: String
  let recordings: Int
  let bytes: [UInt8]

  /// The folder of the recordings, beside the package unless `OUTRIDER_SHARED` names the one above it.
  static var folder: String { (ProcessSurroundings.variable("OUTRIDER_SHARED") ?? "../shared") + "/gnss" }

  /// Nil without recordings. Those whose names begin with `derived-` were made, not recorded.
  init?(_ format: String, suffix: String) throws(FileFailure) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Self.folder)) ?? []
    let chosen = names.filter { $0.hasSuffix(suffix) && !$0.hasPrefix("derived-") }.sorted()
    var bytes: [UInt8] = []
    for name in chosen { bytes += try FileBytes.read("\(Self.folder)/\(name)", limit: 1 << 26) }
    guard !bytes.isEmpty else { return nil }
    self.format = format
    self.recordings = chosen.count
    self.bytes = bytes
  }

  /// One file of the folder, recorded or made; nil without it.
  init?(_ format: String, file name: String) throws(FileFailure) {
    let path = "\(Self.folder)/\(name)"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    self.format = format
    recordings = 1
    bytes = try FileBytes.read(path, limit: 1 << 26)
  }

  /// Writes about as many bytes, in whole copies so that the mixture stays the same, at least one; answers how many.
  func write(about size: Int, to path: String) throws(SystemError) -> Int {
    let copies = max(1, (size + bytes.count / 2) / bytes.count)
    try BytesFile.write(bytes, copies: copies, to: path)
    return copies * bytes.count
  }

  /// Writes so many bytes from the start, of as many copies as that takes.
  func write(head size: Int, to path: String) throws(SystemError) {
    var head: [UInt8] = []
    while head.count < size { head += bytes.prefix(size - head.count) }
    try BytesFile.write(head, to: path)
  }
}
