import FoundationEssentials
import System

/// Receiver output in one format: the concatenated recordings of the shared folder.
struct RecordedBytes {
  /// Name of the format for messages.
  let format: String
  let recordings: Int
  let bytes: [UInt8]

  /// The folder of the recordings, beside the package unless `OUTRIDER_SHARED` names its parent.
  static var folder: String { (ProcessEnvironment.variable("OUTRIDER_SHARED") ?? "../shared") + "/gnss" }

  /// Loads the recordings; nil if there are none. Files whose names begin with `derived-` are generated, not recorded.
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

  /// Reads one file of the folder, recorded or generated; nil if it does not exist.
  init?(_ format: String, file name: String) throws(FileFailure) {
    let path = "\(Self.folder)/\(name)"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    self.format = format
    recordings = 1
    bytes = try FileBytes.read(path, limit: 1 << 26)
  }

  /// Writes about this many bytes, in whole copies so that the mixture is unchanged, at least one; returns
  /// the number.
  func write(about size: Int, to path: String) throws(SystemError) -> Int {
    let copies = max(1, (size + bytes.count / 2) / bytes.count)
    try BytesFile.write(bytes, copies: copies, to: path)
    return copies * bytes.count
  }

  /// Writes exactly this many bytes from the start, from as many copies as required.
  func write(head size: Int, to path: String) throws(SystemError) {
    var head: [UInt8] = []
    while head.count < size { head += bytes.prefix(size - head.count) }
    try BytesFile.write(head, to: path)
  }
}
