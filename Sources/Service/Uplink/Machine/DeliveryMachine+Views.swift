import Quantities
import Records

// What others read of a delivery machine, and its deadlines. Nothing is changed here.
extension DeliveryMachine {
  /// The rest of the present send interval; nil if there is none, or if it is over.
  public func restOfInterval(now: Moment) -> Duration? {
    guard let interval = settings.sendInterval else { return nil }
    let end = attempts.earliest(atInterval: interval)
    return end > now ? end - now : nil
  }

  /// The time since the last contact; nil without check-ins.
  public func timeSinceContact(now: Moment) -> Duration? {
    settings.checkIn == nil ? nil : lastContact.map { max(now - $0, .zero) }
  }

  /// True if records are sent without a request, or requests are repeated after a failure. False while sending is off.
  public var sendsUnasked: Bool { settings.sendInterval != nil || settings.retriesRequests }

  /// The number of failed attempts since the last success.
  public var failures: Int { attempts.failures }
  /// The reason of the last failure; nil after a success.
  public var lastRefusal: Refusal? { attempts.lastRefusal }
  /// The number of responses that were accepted without a confirmation in the body.
  public var unconfirmedResponses: Int { attempts.unconfirmedResponses }
  /// The start of the last attempt; nil before the first.
  public var lastAttempt: Moment? { attempts.last }

  /// True if the `Retry-After` of the last response has not ended.
  public func isWithinRetryAfter(now: Moment) -> Bool { attempts.isWithinRetryAfter(now: now) }

  /// The state for the next machine of the same server.
  public var past: Past {
    var isAttempting = false
    if case .posting = phase { isAttempting = true }
    return attempts.past(isAttempting: isAttempting, lastContact: lastContact)
  }

  /// The boundaries of the batches whose content is still needed.
  public var batchesInProgress: [RecordID] {
    var ends: [RecordID] = []
    switch phase {
    case .shortening(let batch), .committingBatchBoundary(let batch), .awaitingAcknowledgement(let batch),
      .posting(let batch, _), .backingOff(let batch, _):
      ends.append(batch.through)
    case .idle, .loading: break
    }
    if case .ready(let batch) = ahead { ends.append(batch.through) }
    if let newer { ends.append(newer.candidate.through) }
    return ends + isolation.batches.map(\.through)
  }

  /// The time at which to call ``handleTimeout(now:)``; nil while the machine waits for an event.
  public var nextTimeout: Moment? {
    switch phase {
    case .idle(let until): queue.waiting > 0 ? until : [checkInTime, heldTime].compactMap { $0 }.min()
    case .posting(_, let until): until
    case .backingOff(_, let until): until
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement: nil
    }
  }

  /// The time of the next request without records, if none is sent before; nil without check-ins, and while records are sent
  /// on request only.
  public var checkInTime: Moment? {
    guard let checkIn = settings.checkIn, let sendInterval = settings.sendInterval, let lastContact else {
      return nil
    }
    return max(lastContact + checkIn, attempts.earliest(atInterval: sendInterval))
  }

  /// The time at which a held record is sent again if no other is sent before; nil if there is none.
  private var heldTime: Moment? {
    guard let interval = settings.sendInterval, attempts.failures == 0 else { return nil }
    return held.next.map { max($0, attempts.earliest(atInterval: interval)) }
  }

  /// The time after a contact before which a request to send sends no request without records.
  static let shortestCheckIn = Duration.seconds(10)

  /// True if an empty queue is answered with a request without records.
  public func isCheckInDue(now: Moment) -> Bool {
    guard settings.checkIn != nil, case .loading = phase, !isolation.hasSuspects, newer == nil,
      held.current == nil, let lastContact
    else { return false }
    if sendsAll { return now - lastContact >= Self.shortestCheckIn }
    return checkInTime.map { $0 <= now } ?? false
  }

  /// The time of the next attempt; nil if the queue is empty or if records are sent on request only. Zero during an
  /// attempt.
  public var nextSend: Moment? {
    switch phase {
    case .idle(let until): queue.waiting > 0 ? until : nil
    case .backingOff(_, let until): until
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement, .posting: .zero
    }
  }

  /// The maximum delay of a regular attempt or a retry, to share another wake-up.
  static let longestRoom = Duration.seconds(60)
  /// The delay is at most the waiting time divided by this number.
  static let roomDivisor = 5

  /// The window of ``nextTimeout`` with its permitted delay, to share another wake-up. An attempt is never early:
  /// `Retry-After` and back-off are not shortened.
  public var nextWake: WakeWindow? {
    guard let due = nextTimeout else { return nil }
    switch phase {
    case .idle, .backingOff:
      let wait = attempts.last.map { due - $0 } ?? .zero
      return WakeWindow(from: due, orLater: min(wait / Self.roomDivisor, Self.longestRoom))
    // Only a transport that exceeds its own timeout gets here.
    case .posting: return WakeWindow(from: due, orLater: Self.grace)
    case .loading, .shortening, .committingBatchBoundary, .awaitingAcknowledgement: return nil
    }
  }

  /// True if a further batch must wait for an acknowledgement to be on disk.
  public var awaitsAcknowledgement: Bool { uncommitted.count > 1 }

  /// The maximum number of records in one request, considering settings and server.
  public var batchSize: Int { max(min(settings.batchSize, sizeLimit ?? .max), 1) }
}
