import Quantities
import Records

/// What people may be notified of: an event, or the arrival or departure of a visit.
public struct Notification: Equatable, Sendable {
  /// A lasting fault of one part: the kind of fault, and the destination if there may be several.
  public struct Fault: Hashable, Sendable {
    var fault: EventFault
    var part: String
  }

  /// The kind of the event as in the log; `visit_arrived` and `visit_left`.
  public let kind: String
  public let group: EventGroup
  public let level: LogLevel
  /// The subject and the sentence, as in the journal.
  public let line: String
  /// The record as one JSON object.
  public let json: [UInt8]
  /// True for the last word before the device goes down: it is neither held back nor limited.
  public var isFinal = false
  /// The host of the server that the notification is about. A notification about a server does not go to that server.
  public var host: String?
  /// The id of its record in the log; nil if it has none, or none yet.
  public var record: Int64?
  /// True if the kind is among those without a choice of kinds.
  let isUsual: Bool
  /// True if the kind belongs to the choice of its group.
  let isNotable: Bool
  private(set) var beginning: Fault?
  private(set) var end: Fault?
  private(set) var isStep = false

  /// Creates the notification of an event. `json` is the event as one JSON object.
  public init(_ event: EventRecord, json: [UInt8]) {
    let definition = event.kind.definition
    (kind, group, level) = (event.kind.rawValue, definition.group, definition.level)
    line = event.line
    self.json = json
    isUsual = definition.effects.contains(.notifies)
    let isWarning = [.warning, .error].contains(definition.level)
    isNotable = isUsual || isWarning || definition.effects.contains(.asksForPosition)
    let part = event.fields.text(.destination) ?? ""
    switch definition.fault {
    case .begins(let fault)?: beginning = Fault(fault: fault, part: part)
    case .ends(let fault)?: end = Fault(fault: fault, part: part)
    case .continues?: isStep = true
    case nil: break
    }
  }

  /// Creates the notification of a visit. `json` is the visit as one JSON object.
  public init(_ visit: VisitRecord, json: [UInt8]) {
    let isOver = visit.departure != nil
    kind = isOver ? Self.visitLeft : Self.visitArrived
    (group, level) = (.visits, .notice)
    func rounded(_ degrees: Double) -> Double { (degrees * 100_000).rounded() / 100_000 }
    let (latitude, longitude) = (rounded(visit.coordinate.latitude), rounded(visit.coordinate.longitude))
    line = "visit: \(isOver ? "left" : "arrived at") \(latitude), \(longitude)"
    self.json = json
    (isUsual, isNotable) = (true, true)
  }

  /// Creates a notification that somebody asked for, to see whether it arrives.
  public init(test line: String, json: [UInt8]) {
    (kind, group, level) = (Self.test, .settings, .notice)
    self.line = line
    self.json = json
    (isUsual, isNotable) = (false, false)
  }

  /// The kinds of the two records of a visit, and of a test.
  public static let visitArrived = "visit_arrived"
  public static let visitLeft = "visit_left"
  public static let test = "test"
}

/// One call of a hook: one notification, or several that were held back.
public struct NotificationMessage: Equatable, Sendable {
  /// The notifications, oldest first; none if only their number has survived a restart.
  public let notifications: [Notification]
  /// The number of further ones that are not listed.
  public let more: Int

  public init(_ notifications: [Notification], more: Int = 0) {
    (self.notifications, self.more) = (notifications, more)
  }

  public var isFinal: Bool { notifications.contains(where: \.isFinal) }
}
