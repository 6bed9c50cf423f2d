import Quantities

/// The ages at which records are kept.
public struct Retention: Equatable, Sendable {
  /// Whole days; nil keeps for ever.
  public var locationDays: Int?
  /// For events, visits, trips and actions.
  public var eventDays: Int?
  public var reportDays: Int?
  /// For bodies, by the time of their arrival.
  public var bodyDays: Int?

  public init(
    locationDays: Int? = nil, eventDays: Int? = nil, reportDays: Int? = nil, bodyDays: Int? = nil
  ) {
    self.bodyDays = bodyDays
    self.locationDays = locationDays
    self.eventDays = eventDays
    self.reportDays = reportDays
  }

  /// The first time that is kept: midnight UTC, so that whole days are removed together.
  public static func cutoff(days: Int?, now: Timestamp) -> Timestamp? {
    days.map { Timestamp(milliseconds: Int64(now.day - max($0, 0)) * Timestamp.millisecondsPerDay) }
  }
}

/// Judges the time of a record by the server's clock.
public struct RecordAge: Equatable, Sendable {
  /// A record further in the future has a doubtful time.
  public static let doubtfulAfter = Duration.seconds(86_400)

  private let locations: Timestamp?
  private let others: Timestamp?
  private let future: Timestamp

  public init(_ retention: Retention, now: Timestamp) {
    locations = Retention.cutoff(days: retention.locationDays, now: now)
    others = Retention.cutoff(days: retention.eventDays, now: now)
    future = now + Self.doubtfulAfter
  }

  public func isExpired(location time: Timestamp) -> Bool { locations.map { time < $0 } ?? false }
  public func isExpired(other time: Timestamp) -> Bool { others.map { time < $0 } ?? false }
  public func isDoubtful(_ time: Timestamp) -> Bool { time > future }
}
