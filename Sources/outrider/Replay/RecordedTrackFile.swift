import Simulation

/// A track on disk, compressed with gzip or not.
enum RecordedTrackFile {
  /// Why a file is no track.
  enum Failure: Error, CustomStringConvertible {
    case unreadable(PlainOrGzipFile.Failure)
    case tooLong(path: String, limit: Int)
    case noTrack(path: String, TrackError)

    var description: String {
      switch self {
      case .unreadable(let failure): "\(failure)"
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

  private static func contents(_ path: String) throws(Failure) -> [UInt8] {
    let bytes: [UInt8]
    do throws(PlainOrGzipFile.Failure) {
      bytes = try PlainOrGzipFile.open(path).contents(upTo: longest)
    } catch {
      throw .unreadable(error)
    }
    guard bytes.count <= longest else { throw .tooLong(path: path, limit: longest) }
    return bytes
  }
}
