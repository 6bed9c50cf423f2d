import GNSSProtocol
import Quantities

/// Who the receiver is: what it reported in this session, and what was saved of an earlier one.
struct ReceiverIdentification: Sendable {
  private static let mostContradictions = 3

  /// The receiver that was last saved.
  private(set) var known: KnownReceiver?
  /// The known part of the identity.
  private(set) var identity: ReceiverIdentity?
  /// True if the receiver answered a query or accepted a command.
  private(set) var isConfirmed = false
  /// Rounds of queries without an answer.
  private var unansweredRounds = 0
  /// Number of answers that contradicted the identity.
  private var contradictions = 0

  init(known: KnownReceiver?) { self.known = known }

  /// The identity that the receiver reported; nil before that.
  var confirmed: ReceiverIdentity? { isConfirmed ? identity : nil }

  /// The commands of the receiver's family; nil if the family is unknown.
  var dialect: (any Dialect)? {
    guard let identity, identity.family != .unknown else { return nil }
    return GNSSReceiver.dialect(for: identity)
  }

  /// True if the receiver answered none of the queries and they are to be sent once more.
  var isQueriedAgain: Bool { identity?.family == .unknown && unansweredRounds == 1 }

  /// The version query of the receiver's family.
  var query: ReceiverCommand? { identity.flatMap { ReceiverCommand.versionQuery(for: $0.family) } }

  /// All version queries, with the one of the known or remembered family first.
  var queries: [ReceiverCommand] {
    guard let query = (identity ?? known?.identity).flatMap({ ReceiverCommand.versionQuery(for: $0.family) })
    else {
      return ReceiverCommand.versionQueries
    }
    return [query] + ReceiverCommand.versionQueries.filter { $0 != query }
  }

  // MARK: Evidence

  /// Takes a receiver of unknown identity for the remembered one if that had the same baud rate.
  mutating func assumeKnown(at speed: UInt32?) {
    guard identity == nil, let known, known.speed == speed, known.identity.family != .unknown else { return }
    identity = known.identity
    isConfirmed = false
  }

  /// Takes the answer to a query. True if the receiver is another one than before.
  mutating func identified(
    as identity: ReceiverIdentity, at speed: UInt32?, _ actions: inout [DialogueAction]
  ) -> Bool {
    let isNew = self.identity != identity
    if isNew || !isConfirmed { actions.append(.report(.identified(identity))) }
    self.identity = identity
    isConfirmed = true
    unansweredRounds = 0
    var receiver = KnownReceiver(speed: speed, identity: identity)
    if let known, known.identity == identity {
      receiver.setUp = known.setUp
      receiver.interval = known.interval
    }
    remember(receiver, &actions)
    return isNew
  }

  /// Records that the receiver answered no query; it is only read.
  mutating func recordSilence(at speed: UInt32?, _ actions: inout [DialogueAction]) {
    unansweredRounds = min(unansweredRounds + 1, 2)
    identity = .unknown
    isConfirmed = true
    if unansweredRounds == 1 { actions.append(.report(.notIdentified)) }
    remember(KnownReceiver(speed: speed, identity: .unknown), &actions)
  }

  /// The receiver accepted a command.
  mutating func confirm() { isConfirmed = true }

  /// The next device on the port may be another one.
  mutating func doubt() { isConfirmed = false }

  mutating func forget() {
    identity = nil
    isConfirmed = false
  }

  /// Forgets the identity if `answer` belongs to another family; true if it does.
  mutating func forgetIfContradicted(by answer: ReceiverAnswer) -> Bool {
    guard let families = answer.families, let identity, !families.contains(identity.family),
      contradictions < Self.mostContradictions
    else { return false }
    contradictions += 1
    forget()
    return true
  }

  // MARK: Memory

  /// Saves the baud rate of a receiver that is only read.
  mutating func rememberUnqueried(speed: UInt32?, _ actions: inout [DialogueAction]) {
    remember(KnownReceiver(speed: speed, identity: known?.identity ?? .unknown), &actions)
  }

  /// Saves a changed baud rate. The digest of the configuration includes it and is no longer valid.
  mutating func rememberChangedSpeed(_ speed: UInt32?, _ actions: inout [DialogueAction]) {
    guard var receiver = known else { return }
    receiver.speed = speed
    receiver.setUp = nil
    remember(receiver, &actions)
  }

  /// Saves the configuration that was sent; `interval` in milliseconds, nil if it is unchanged.
  mutating func rememberSetUp(
    digest: UInt64, interval: Int?, speed: UInt32?, _ actions: inout [DialogueAction]
  ) {
    guard let identity else { return }
    remember(
      KnownReceiver(speed: speed, identity: identity, setUp: digest, interval: interval ?? known?.interval),
      &actions)
  }

  /// Saves that the receiver stores its epochs after the one at `time`, or stores them no longer.
  mutating func rememberStoring(_ isStoring: Bool, after time: Timestamp?, _ actions: inout [DialogueAction])
  {
    guard var receiver = known else { return }
    (receiver.storesEpochs, receiver.storesAfter) = (isStoring, isStoring ? time : nil)
    remember(receiver, &actions)
  }

  private mutating func remember(_ receiver: KnownReceiver, _ actions: inout [DialogueAction]) {
    guard receiver != known else { return }
    known = receiver
    actions.append(.remember(receiver))
  }
}

extension ReceiverIdentity {
  /// The identity of a receiver that is only read.
  static var unknown: ReceiverIdentity { ReceiverIdentity(family: .unknown) }
}
