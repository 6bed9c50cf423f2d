import CZlib
import Glibc
import Simulation

/// A track on disk, compressed with gzip or not.
enum TrackFile {
  /// Why a file is no track.
  enum Failure: Error, CustomStringConvertible {
    case unreadable(path: String, reason: String)
    case tooLong(path: String, limit: Int)
    case noTrack(path: String, TrackError)

    var description: String {
      switch self {
      case .unreadable(let path, let reason): "\(path): \(reason)"
      case .tooLong(let path, let limit): "\(path): longer than \(limit) bytes; split it into days"
      case .noTrack(let path, let error): "\(path): \(Self.words(error))"
      }
    }

    private static func words(_ error: TrackError) -> String {
      switch error {
      case .empty: "no row; expected lines of t_unix,lat,lon under a header"
      case .tooManyRows(let limit): "more than \(limit) rows; split it into days"
      case .missingColumn(let line, let column): "line \(line) has no \(column)"
      case .notANumber(let line, let column, let got):
        "line \(line): \(column) is \"\(got)\", no number in range"
      case .timeRunsBack(let line): "line \(line): the time runs back"
      }
    }
  }

  static let longest = 256 << 20

  static func read(_ path: String) throws(Failure) -> RecordedTrack {
    let bytes = try contents(path)
    do throws(TrackError) {
      return try RecordedTrack(csv: bytes)
    } catch {
      throw .noTrack(path: path, error)
    }
  }

  /// zlib passes over what is not compressed.
  private static func contents(_ path: String) throws(Failure) -> [UInt8] {
    errno = 0
    guard let file = gzopen(path, "rb") else {
      throw .unreadable(path: path, reason: String(cString: strerror(errno == 0 ? ENOMEM : errno)))
    }
    defer { gzclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Int(gzread(file, &chunk, 65_536))
      if count < 0 {
        var number: Int32 = 0
        let words = gzerror(file, &number).map { String(cString: $0) } ?? "zlib error \(number)"
        throw .unreadable(path: path, reason: words)
      }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= longest else { throw .tooLong(path: path, limit: longest) }
    }
  }
}
