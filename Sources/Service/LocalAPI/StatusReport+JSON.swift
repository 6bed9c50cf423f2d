import JSON

extension StatusReport {
  /// The report as one JSON object with sorted keys; nil only if it contains a number that is not finite.
  public var json: [UInt8]? { ReportJSON.write(self) }

  /// Reads the JSON of ``json``; nil for anything else.
  public init?(json: [UInt8]) {
    guard let report: StatusReport = ReportJSON.read(json) else { return nil }
    self = report
  }
}

extension StatusReport.Energy {
  /// The report as one JSON object with sorted keys; nil only if it contains a number that is not finite.
  public var json: [UInt8]? { ReportJSON.write(self) }

  /// Reads the JSON of ``json``; nil for anything else.
  public init?(json: [UInt8]) {
    guard let report: StatusReport.Energy = ReportJSON.read(json) else { return nil }
    self = report
  }
}

extension DeviceReport {
  /// The report as one JSON object with sorted keys; nil only if it contains a number that is not finite.
  public var json: [UInt8]? { ReportJSON.write(self) }
}

extension StatusReport.EnergyDays {
  /// The ledger as one JSON object with sorted keys; nil only if it contains a number that is not finite.
  public var json: [UInt8]? { ReportJSON.write(self) }
}

extension ProfilesReport {
  /// The report as one JSON object with sorted keys; nil only if it contains a number that is not finite.
  public var json: [UInt8]? { ReportJSON.write(self) }
}

extension StatusReport.Trip {
  /// The report as one JSON object with sorted keys; nil only if it contains a number that is not finite.
  public var json: [UInt8]? { ReportJSON.write(self) }
}

extension StatusReport.Destination {
  /// The report as one JSON object with sorted keys; nil only if it contains a number that is not finite.
  public var json: [UInt8]? { ReportJSON.write(self) }
}

/// The parts of the status about the receiver and the motion, as a message of the stream.
public struct TrackerMessage: Codable, Equatable, Sendable {
  public var tracker: StatusReport.Tracker
  public var motion: StatusReport.Motion?

  public init(tracker: StatusReport.Tracker, motion: StatusReport.Motion?) {
    (self.tracker, self.motion) = (tracker, motion)
  }

  /// The message as one JSON object with sorted keys; nil only if it contains a number that is not finite.
  public var json: [UInt8]? { ReportJSON.write(self) }
}

extension SendsReport {
  /// The report as one JSON object with sorted keys; nil only if it contains a number that is not finite.
  public var json: [UInt8]? { ReportJSON.write(self) }
}

extension TestsReport {
  /// The report as one JSON object with sorted keys; nil only if it contains a number that is not finite.
  public var json: [UInt8]? { ReportJSON.write(self) }
}

private enum ReportJSON {
  static func write(_ report: some Encodable) -> [UInt8]? { try? SortedJSON.encode(report) }

  static func read<Report: Decodable>(_ json: [UInt8]) -> Report? {
    try? CheckedJSON(json).decode()
  }
}
