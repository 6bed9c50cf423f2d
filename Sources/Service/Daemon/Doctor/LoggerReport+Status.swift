import Database
import Doctor
import LocalAPI
import Medium
import Quantities
import Records
import Store
import System

extension LoggedEvent {
  /// The number of records at the end of the log that are searched for events, and the most events.
  private static let (searchedRecords, mostEvents) = (Int64(20_000), 500)

  /// The last events of a log, the newest last.
  public static func newest(inLogOf directory: String) -> Fact<[LoggedEvent]> {
    let now = SystemClock.timestamp()
    do throws(DatabaseError) {
      let records = try LogReader(directory: directory).newestEvents(
        among: searchedRecords, limit: mostEvents)
      return .known(records.compactMap { LoggedEvent($0, now: now) })
    } catch {
      let exists = FileIdentity("\(directory)/outrider.db") != nil
      return exists ? .hidden("\(error)") : .absent
    }
  }

  private init?(_ record: StoredRecord, now: Timestamp) {
    guard case .event(let event) = record.record.body else { return nil }
    var fields: [String: String] = [:]
    for field in [EventField.cause, .fault, .reason, .signal] {
      if case .text(let text)? = event.fields[field] { fields[field.rawValue] = text }
    }
    self.init(
      kind: event.kind.rawValue, sentence: event.detail, fields: fields,
      age: record.record.time.map { (now - $0).wholeSeconds })
  }
}

extension LoggerReport {
  /// Takes the values that the checks judge from the logger's status.
  public init(_ report: StatusReport) {
    self.init(version: report.version)
    uptime = report.uptime_s
    settingsFault = report.settings_trouble
    logFault = report.log.trouble
    shareFault = report.share?.gpsd.trouble
    clockQuality = report.clock?.quality
    isTracking = report.tracking ?? true
    if let position = report.position, let age = position.age_s,
      let time = position.time.flatMap({ Timestamp(iso8601: $0) })
    {
      var fix = LastFix(time: Double(time.milliseconds) / 1000, age: age)
      (fix.latitude, fix.longitude) = (position.latitude, position.longitude)
      lastFix = fix
    }
    receiver = report.receiver.map { ReceiverReport($0, report.reception) }
    accelerometer = report.accelerometer.map { part in
      var facts = PartReport(
        name: part.name, connection: "at \(part.address) on \(part.path)", trouble: part.trouble)
      facts.overruns = part.overruns
      return facts
    }
    gauge = report.battery?.gauge.map { gauge in
      PartReport(
        name: gauge.name, connection: "\(gauge.address.map { "at \($0) " } ?? "")on \(gauge.path)",
        trouble: gauge.trouble)
    }
    battery = report.battery.map { battery in
      var facts = BatteryReport()
      (facts.state, facts.percent, facts.volts) = (battery.state, battery.percent, battery.voltage_V)
      facts.doubt = battery.percent_doubt
      return facts
    }
    medium = report.storage.map { storage in
      var facts = MediumLifeReport()
      (facts.usedPercent, facts.daysLeft) = (storage.used_percent, storage.days_left)
      facts.isByEndurance = storage.used_by == MediumLife.Origin.endurance.rawValue
      return facts
    }
    destinations = report.destinations.map { destination in
      var facts = DestinationReport(name: destination.name)
      (facts.queued, facts.trouble) = (destination.queued, destination.trouble)
      facts.lastSuccessAge = destination.last_success_age_s
      return facts
    }
  }
}

extension ReceiverReport {
  fileprivate init(_ receiver: StatusReport.Receiver, _ reception: StatusReport.Reception?) {
    self.init(port: receiver.port)
    isOpen = receiver.is_open
    baud = receiver.speed_baud
    state = receiver.state
    family = receiver.family
    module = receiver.module
    validFrames = receiver.valid_frames
    checksumErrors = receiver.checksum_errors
    gpsdDevice = receiver.gpsd.map { $0.device ?? "" }
    fix = reception?.fix
    epochAge = reception?.epoch_age_s
    secondsWithoutFix = reception?.no_fix_s
    satellites = reception?.satellites_received
    ignored = receiver.ignoredInputs
  }
}
