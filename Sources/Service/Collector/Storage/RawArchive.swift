import Glibc
import Quantities
import System

/// An archive of the received bodies, one file per body, named by time so that the names sort in order of arrival.
///
/// It is a second copy for inspection: unlike the database, its files are not synced. Only files with such a name are
/// counted and deleted.
struct RawArchive {
  /// The limits of the archive; excess files are deleted, oldest first, when a body arrives.
  struct Limits: Sendable {
    var age: Duration = .seconds(7 * 86_400)
    var bytes = 256_000_000
    var files = 20_000
    /// The maximum number of deletions per new body; more than one, so that an excess is reduced.
    var deletionsAtOnce = 64
  }

  private struct File {
    var name: String
    var size: Int
  }

  private let directory: String
  private let limits: Limits
  /// The files from `first` on, oldest first.
  private var files: [File] = []
  private var first = 0
  private var bytes = 0

  /// Creates the directory if it does not exist, and lists its files.
  init(directory: String, limits: Limits) throws(SystemError) {
    self.directory = directory
    self.limits = limits
    if mkdir(directory, 0o750) != 0, errno != EEXIST {
      throw SystemError(call: "mkdir", subject: directory, number: errno)
    }
    guard let listing = opendir(directory) else {
      throw SystemError(call: "opendir", subject: directory, number: errno)
    }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      guard Self.isName(name), lstat("\(directory)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG
      else { continue }
      FileMode.tighten("\(directory)/\(name)")
      files.append(File(name: name, size: status.st_size))
      bytes += status.st_size
    }
    files.sort { $0.name < $1.name }
  }

  /// Writes one body and deletes files beyond the limits.
  ///
  /// - Returns: the name of the new file.
  @discardableResult
  mutating func keep(_ body: [UInt8], at time: Timestamp) throws(SystemError) -> String {
    deleteExcess(now: time, room: body.count)
    let (opened, name) = try create(at: time)
    let file = Descriptor(owning: opened)
    file.setDataMode()
    do { try file.write(body, to: "\(directory)/\(name)") } catch {
      unlink("\(directory)/\(name)")
      throw error
    }
    files.append(File(name: name, size: body.count))
    bytes += body.count
    return name
  }

  private func create(at time: Timestamp) throws(SystemError) -> (Int32, String) {
    // A number distinguishes bodies of the same millisecond.
    for attempt in 0...9999 {
      let name = Self.name(time, number: attempt)
      let raw = open("\(directory)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
      if raw >= 0 { return (raw, name) }
      let number = errno
      guard number == EEXIST else {
        throw SystemError(call: "open", subject: "\(directory)/\(name)", number: number)
      }
    }
    throw SystemError(call: "open", subject: "\(directory)/\(Self.name(time, number: 0))", number: EEXIST)
  }

  private mutating func deleteExcess(now: Timestamp, room: Int) {
    let oldest = Self.name(now + (.zero - limits.age), number: 0)
    var deletions = 0
    while first < files.count, deletions < limits.deletionsAtOnce {
      let file = files[first]
      guard
        file.name < oldest || bytes + room > limits.bytes || files.count - first + 1 > limits.files
      else { break }
      unlink("\(directory)/\(file.name)")
      bytes -= file.size
      first += 1
      deletions += 1
    }
    if first > 1000, first > files.count / 2 {
      files.removeFirst(first)
      first = 0
    }
  }

  /// The name of a file, such as `20260301T101502.250Z-0000.json`.
  private static func name(_ time: Timestamp, number: Int) -> String {
    var text = time.iso8601(fraction: .milliseconds).utf8.filter {
      $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "-")
    }
    text.append(UInt8(ascii: "-"))
    text.appendPadded(number, digits: 4)
    return String(decoding: text, as: UTF8.self) + ".json"
  }

  private static func isName(_ name: String) -> Bool {
    let pattern = "00000000T000000.000Z-0000.json".utf8
    return name.utf8.count == pattern.count
      && zip(name.utf8, pattern).allSatisfy { byte, model in
        model == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == model
      }
  }
}
