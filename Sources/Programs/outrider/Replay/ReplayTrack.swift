import Database
import GNSSProtocol
import GNSSReceiver
import Glibc
import Quantities
import Replay
import Simulation
import Store

/// Reads the track of a replay from a CSV file, a receiver recording, or the log of a logger.
enum ReplayTrack {
  /// The reason why a file is not a track, as a complete message.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// The number of bytes by which the format is detected.
  private static let head = 4096
  /// The number of bytes within which a table must have its line of column names.
  private static let longestHeader = 1 << 20
  private static let expectedInput =
    "expected a CSV with t_unix,lat,lon, a receiver recording (NMEA, UBX or CASIC), or a log directory"

  /// Reads a track. For a log, `since` selects 24 hours from then on; by default the newest 24 hours.
  static func read(_ path: String, since: Timestamp? = nil) throws(Failure) -> RecordedTrack {
    if let directory = logDirectory(path) { return try log(directory, path, since: since) }
    do {
      let file = try PlainOrGzipFile.open(path, directoryRemedy: "without outrider.db; \(expectedInput)")
      let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
      defer { room.deallocate() }
      var piece = room[..<(try file.read(into: room))]
      guard !piece.starts(with: Array("SQLite format 3\0".utf8)) else {
        throw Failure(
          description: "\(path): not a log, whose file is outrider.db; give that file or its directory")
      }
      var recording = isRecording(piece.prefix(head)) ? ReceiverTrack() : nil
      var table = TrackReading()
      var read = 0
      while !piece.isEmpty {
        if recording == nil {
          try table.take(piece)
          read += piece.count
          guard table.hasHeader || read < longestHeader else { throw TrackError.empty }
        } else {
          try recording?.take(UnsafeRawBufferPointer(rebasing: piece))
        }
        piece = room[..<(try file.read(into: room))]
      }
      return try recording?.finish() ?? table.finish()
    } catch let error as TrackError {
      throw Failure(description: "\(path): \(explanation(error))")
    } catch let error as ReceiverTrack.NoPosition {
      throw Failure(description: "\(path): \(error)")
    } catch {
      throw Failure(description: "\(error)")
    }
  }

  // MARK: Kinds

  /// Returns the directory of a log that is named by itself or by its file; nil for anything else.
  private static func logDirectory(_ path: String) -> String? {
    let name = "outrider.db"
    if let slash = path.lastIndex(of: "/"), path[slash...] == "/\(name)"[...] {
      return slash == path.startIndex ? "/" : String(path[..<slash])
    }
    if path == name { return "." }
    var folder = path
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    return access("\(folder)/\(name)", F_OK) == 0 ? folder : nil
  }

  /// True if the bytes contain the start of an NMEA sentence or a binary frame, which no table has.
  private static func isRecording(_ bytes: Slice<UnsafeMutableRawBufferPointer>) -> Bool {
    for (a, b) in zip(bytes, bytes.dropFirst()) {
      switch (a, b) {
      case (UInt8(ascii: "$"), UInt8(ascii: "A")...UInt8(ascii: "Z")), (0xB5, 0x62), (0xBA, 0xCE): return true
      case _: continue
      }
    }
    return false
  }

  // MARK: The log

  private static func log(_ directory: String, _ path: String, since: Timestamp?) throws(Failure)
    -> RecordedTrack
  {
    var fixes: [RecordedTrack.Fix] = []
    do throws(DatabaseError) {
      let reader = try LogReader(directory: directory)
      let newest = try reader.newestLocation()?.record.time
      let start = since ?? newest.map { $0 + .seconds(-Day.seconds) } ?? Timestamp(milliseconds: 0)
      let end = start + .seconds(Day.seconds)
      try reader.read(from: start) { stored in
        guard let time = stored.record.time, time >= start else { return true }
        // Records that were dated later may be out of order: read an hour beyond the end.
        if time > end + .seconds(3600) { return false }
        guard case .location(let location) = stored.record.body, time <= end else { return true }
        fixes.append(
          RecordedTrack.Fix(
            time: Double(time.milliseconds) / 1000, latitude: location.coordinate.latitude,
            longitude: location.coordinate.longitude))
        return true
      }
    } catch {
      throw Failure(description: "\(path): \(CheckRequest.explained(error, in: directory))")
    }
    guard !fixes.isEmpty else {
      throw Failure(
        description:
          "\(path): no dated location in the requested 24 hours; choose another day with --since "
          + "(outrider status shows the newest record)")
    }
    do throws(TrackError) {
      var reading = TrackReading()
      for fix in fixes { try reading.take(fix) }
      return try reading.finish()
    } catch {
      throw Failure(description: "\(path): \(explanation(error))")
    }
  }

  private static func explanation(_ error: TrackError) -> String {
    switch error {
    case .empty: "no rows; \(expectedInput)"
    case .tooManyRows(let limit): "more than \(limit) rows; split the track into days"
    case .missingColumn(let line, let column): "line \(line): no \(column); \(expectedInput)"
    case .notANumber(let line, let column, let got):
      "line \(line): \(column) \"\(got)\" is not a number in range"
    case .timeRunsBack(let line): "line \(line): the time goes back; sort the rows by time"
    case .timeLeaps(let line, let got):
      "line \(line): the time \(got) is more than a year from the previous line; correct or remove the line"
    }
  }
}
