import CZlib
import Glibc

/// A plain or gzip file, opened for reading; zlib detects the format.
struct PlainOrGzipFile: ~Copyable {
  /// The reason why a file cannot be read.
  struct Failure: Error, CustomStringConvertible {
    var path: String
    var reason: String
    var description: String { "\(path): \(reason)" }
  }

  private let path: String
  private let file: gzFile

  private init(path: String, file: gzFile) { (self.path, self.file) = (path, file) }

  /// Opens a file; `-` is standard input. `directoryRemedy` is the remedy if the path is a directory.
  static func open(_ path: String, directoryRemedy: String? = nil) throws(Failure) -> PlainOrGzipFile {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(path: path, reason: String(cString: strerror(errno))) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      close(descriptor)
      throw Failure(path: path, reason: directoryRemedy.map { "is a directory; \($0)" } ?? "is a directory")
    }
    guard let file = gzdopen(descriptor, "rb") else {
      close(descriptor)
      throw Failure(path: path, reason: "out of memory")
    }
    gzbuffer(file, 65_536)
    return PlainOrGzipFile(path: path, file: file)
  }

  deinit { gzclose_r(file) }

  /// Reads the next bytes; returns 0 at the end. Throws if the file is damaged or truncated.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
    let count = gzread(file, buffer.baseAddress, UInt32(clamping: buffer.count))
    var code: Int32 = 0
    let message = gzerror(file, &code)
    guard count >= 0, code == Z_OK || code == Z_STREAM_END else {
      let reason =
        code == Z_ERRNO
        ? String(cString: strerror(errno)) : message.map { Self.explanation(of: $0) } ?? "is damaged"
      throw Failure(
        path: path, reason: code == Z_BUF_ERROR ? "the gzip data is truncated; copy it again" : reason)
    }
    return Int(count)
  }

  /// Returns the message of zlib without the descriptor number at its beginning.
  private static func explanation(of message: UnsafePointer<CChar>) -> String {
    let text = String(cString: message)
    let reason = text.firstIndex(of: ">").map { String(text[$0...].drop { "> :".contains($0) }) } ?? text
    return "the gzip data is damaged (\(reason)); copy it again"
  }

  /// Reads the rest of the file, at most one buffer beyond `limit` bytes.
  func contents(upTo limit: Int) throws(Failure) -> [UInt8] {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { room.deallocate() }
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      let count = try read(into: room)
      if count == 0 { break }
      bytes += room[..<count]
    }
    return bytes
  }
}
