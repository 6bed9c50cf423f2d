import Database
import GNSS
import Glibc
import Quantities
import Simulation
import Store
import SystemLoop
import Tracking

/// A track for a replay, whatever it lies in: a CSV, a recording of a receiver, or the log of a logger.
enum ReplayTrack {
  /// Why a file is no track; the message names it and says what to do.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private static let longest = 256 << 20
  /// What the first bytes of a file are judged by.
  private static let head = 4096
  private static let wanted =
    "wanted is a CSV with t_unix,lat,lon, what a receiver sent (NMEA, UBX or CASIC), or the directory of a log"

  /// `since` counts for a log, which holds many days: 24 hours from then on, or without it the newest 24 hours.
  static func read(_ path: String, since: Timestamp? = nil) throws(Failure) -> RecordedTrack {
    if let directory = logDirectory(path) { return try log(directory, path, since: since) }
    let bytes: [UInt8]
    do throws(PlainOrGzipFile.Failure) {
      bytes = try PlainOrGzipFile.open(
        path, directoryRemedy: "it holds no outrider.db; \(wanted)"
      ).contents(upTo: longest)
    } catch {
      throw Failure(description: "\(error)")
    }
    guard bytes.count <= longest else {
      throw Failure(description: "\(path): longer than \(longest) bytes; split it into days")
    }
    if bytes.starts(with: Array("SQLite format 3\0".utf8)) {
      throw Failure(
        description: "\(path): a database of another name; a log is outrider.db, give it or its directory")
    }
    return isRecording(bytes.prefix(head)) ? try recording(bytes, path) : try csv(bytes, path)
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
  private static func isRecording(_ bytes: ArraySlice<UInt8>) -> Bool {
    for (a, b) in zip(bytes, bytes.dropFirst()) {
      switch (a, b) {
      case (UInt8(ascii: "$"), UInt8(ascii: "A")...UInt8(ascii: "Z")), (0xB5, 0x62), (0xBA, 0xCE): return true
      case _: continue
      }
    }
    return false
  }

  // MARK: Reading

  private static func csv(_ bytes: [UInt8], _ path: String) throws(Failure) -> RecordedTrack {
    do throws(TrackError) {
      return try RecordedTrack(csv: bytes)
    } catch {
      throw Failure(description: "\(path): \(words(error))")
    }
  }

  private static func recording(_ bytes: [UInt8], _ path: String) throws(Failure) -> RecordedTrack {
    var decoder = ReceiverDecoder()
    let latest = SystemClock.timestamp()
    var fixes: [RecordedTrack.Fix] = []
    var epochs = 0
    let take: (Reception) -> Void = { reception in
      guard case .epoch(let fix) = reception else { return }
      epochs += 1
      guard fix.kind != .none, let latitude = fix.latitude, let longitude = fix.longitude,
        let time = fix.timestamp.map({ WeekRollover.repair($0, latest: latest) })
      else { return }
      fixes.append(
        RecordedTrack.Fix(
          time: Double(time.milliseconds) / 1000, latitude: latitude, longitude: longitude))
    }
    bytes.withUnsafeBytes { decoder.decode($0, at: .zero, take) }
    decoder.finish(take)
    guard !fixes.isEmpty else {
      throw Failure(
        description: "\(path): \(epochs) epochs of a receiver and no position with a date among them; "
          + "outrider decode --summary shows what is in it")
    }
    return try track(fixes, path)
  }

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
      throw Failure(description: "\(path): \(error)")
    }
    guard !fixes.isEmpty else {
      throw Failure(
        description:
          "\(path): the log holds no location with a date in the 24 hours that are asked for; outrider "
          + "status shows what it holds, --since names another day")
    }
    return try track(fixes, path)
  }

  private static func track(_ fixes: [RecordedTrack.Fix], _ path: String) throws(Failure) -> RecordedTrack {
    do throws(TrackError) {
      return try RecordedTrack(fixes: fixes)
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
    }
  }
}
