import Database
import Glibc
import Quantities
import Simulation
import Store

/// A track for a replay, whatever it lies in: a CSV, a recording of a receiver, or the log of a logger.
enum ReplayTrack {
  /// Why a file is no track; the message names it and says what to do.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// What the first bytes of a file are judged by.
  private static let head = 4096
  /// Bytes among which a table has its line of column names.
  private static let longestHeader = 1 << 20
  private static let wanted =
    "wanted is a CSV with t_unix,lat,lon, what a receiver sent (NMEA, UBX or CASIC), or the directory of a log"

  /// `since` counts for a log, which holds many days: 24 hours from then on, or without it the newest 24 hours.
  static func read(_ path: String, since: Timestamp? = nil) throws(Failure) -> RecordedTrack {
    if let directory = logDirectory(path) { return try log(directory, path, since: since) }
    do {
      let file = try PlainOrGzipFile.open(path, directoryRemedy: "it holds no outrider.db; \(wanted)")
      let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
      defer { room.deallocate() }
      var piece = room[..<(try file.read(into: room))]
      guard !piece.starts(with: Array("SQLite format 3\0".utf8)) else {
        throw Failure(
          description: "\(path): a database of another name; a log is outrider.db, give it or its directory")
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
      throw Failure(description: "\(path): \(words(error))")
    } catch let error as ReceiverTrack.NoPosition {
      throw Failure(description: "\(path): \(error)")
    } catch {
      throw Failure(description: "\(error)")
    }
  }

  // MARK: Kinds

  /// The directory of a log that is meant by itself or by its file.
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

  /// Sentences and binary frames begin with signs that no table of numbers has.
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
        // Undated records that were dated later may lie out of order: a little beyond the end, not to the end.
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
          "\(path): the log holds no location with a date in the 24 hours that are asked for; outrider "
          + "status shows what it holds, --since names another day")
    }
    do throws(TrackError) {
      var reading = TrackReading()
      for fix in fixes { try reading.take(fix) }
      return try reading.finish()
    } catch {
      throw Failure(description: "\(path): \(words(error))")
    }
  }

  private static func words(_ error: TrackError) -> String {
    switch error {
    case .empty: "no row; \(wanted)"
    case .tooManyRows(let limit): "more than \(limit) rows; split it into days"
    case .missingColumn(let line, let column): "line \(line) has no \(column); \(wanted)"
    case .notANumber(let line, let column, let got):
      "line \(line): \(column) is \"\(got)\", no number in range"
    case .timeRunsBack(let line): "line \(line): the time runs back"
    case .timeLeaps(let line, let got):
      "line \(line): the time \(got) lies more than a year off the line before; mend or remove the line"
    }
  }
}
