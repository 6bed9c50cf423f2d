import Quantities

/// The definition of a kind of event: its text and its treatment.
///
/// The journal, `notifications`, `outrider why`, the tracker, the log and the page of events read it by
/// ``EventKind/definition``. Each file `EventDefinition+SUBJECT.swift` defines the kinds of one subject, with their
/// sentences.
public struct EventDefinition: Sendable {
  /// The subject of the event, with which its line in the journal begins.
  public let subject: String
  /// The subject area, for the choice of notifications.
  public let group: EventGroup
  /// The part in a lasting fault; nil for an event on its own.
  public let fault: EventFault.Phase?
  /// The level in the journal.
  public let level: LogLevel
  public let effects: EventEffects
  public let gap: GapRelevance
  /// The meaning of the event, in full sentences.
  public let meaning: String
  /// The fields that an event of the kind can have, the most important first.
  public let fields: [EventField]
  /// The field whose number is also the `value` of the event; nil for kinds without one.
  public let value: EventField?
  /// Advice to the operator; empty if nothing needs to be done.
  public let advice: String
  /// Words the sentence of an event: evidence first, then the remedy.
  ///
  /// No other code words events. The sentence is stored with the event, so a later version may use other words.
  let sentence: @Sendable (EventEvidence) -> String

  init(
    subject: String, group: EventGroup, fault: EventFault.Phase? = nil, level: LogLevel,
    effects: EventEffects,
    gap: GapRelevance, meaning: String,
    fields: [EventField] = [], value: EventField? = nil, advice: String = "",
    sentence: @escaping @Sendable (EventEvidence) -> String
  ) {
    self.subject = subject
    self.group = group
    self.fault = fault
    self.level = level
    self.effects = effects
    self.gap = gap
    self.meaning = meaning
    self.fields = fields
    self.value = value
    self.advice = advice
    self.sentence = sentence
  }
}

/// The effects of an event besides its record and its line in the journal.
public struct EventEffects: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `notifications` is called.
  public static let notifies = EventEffects(rawValue: 1)
  /// A position is requested, if the recording rules react to events. For events of the vehicle, as opposed to those of
  /// the logger and its parts. The start and end of motion are excluded, because they would wake a receiver that was
  /// just put to sleep.
  public static let asksForPosition = EventEffects(rawValue: 2)
  /// The event is stored even while tracking is switched off. For events of the logger itself, which explain the gap,
  /// and for the end of a trip.
  public static let isStoredWhileOff = EventEffects(rawValue: 4)
}

/// The part of an event in the explanation of a gap by `outrider why`.
public enum GapRelevance: Equatable, Sendable {
  /// The event does not concern missing locations.
  case unrelated
  /// The event is listed with a gap, but is no cause, such as the end of a condition.
  case context
  /// The event indicates a cause, which is given as a clause in the past tense.
  case cause(String)
  /// Like ``cause(_:)``, if the event prevented the start of the logger: its field `cause` is `start`.
  case causeAtStart(String)

  /// The cause of missing locations; nil if the event indicates none.
  public var cause: String? {
    switch self {
    case .unrelated, .context: nil
    case .cause(let clause), .causeAtStart(let clause): clause
    }
  }
}
