import Devices
import GNSSProtocol
import GNSSReceiver
import Quantities
import Records

// The receiver's state in words for people, and as fields of events.

extension LineNotice {
  /// The text of a debug line, for notices of normal operation, which have no event.
  var words: String? {
    guard case .dialogue(let notice) = self else { return nil }
    switch notice {
    case .refused(let command): return "rejects \(command)"
    case .unanswered(let command): return "does not answer \(command)"
    case .asleep: return "asleep"
    case .awake: return "awake"
    default: return nil
    }
  }
}

extension SleepObstacle {
  /// The value of the event field for it.
  var field: String {
    switch self {
    case .notAllowed: "not_allowed"
    case .noCommand: "no_command"
    case .needsPin: "needs_pin"
    case .keepsTalking: "keeps_sending"
    }
  }
}

extension SatelliteObstacle {
  /// The reason why only unsolicited satellite reports are known, and its remedy; without quotes.
  var words: String {
    switch self {
    case .notAllowed: "receiver.control is none; set it to full"
    case .notRunning: "the receiver is asleep or starting; retry when outrider status shows that it runs"
    case .noCommand: "the receiver family is unknown; enable its GSV sentences with the maker's tool"
    }
  }
}

extension ReceiverFault {
  /// The value of the event field for it.
  var field: String {
    switch self {
    case .silent: "no_data"
    case .unreadable: "unreadable_data"
    case .frozen: "frozen_position"
    case .impossibleTime: "impossible_time"
    case .withoutFix: "no_fix"
    case .antennaOpen: "antenna_open_circuit"
    case .antennaShort: "antenna_short_circuit"
    case .jammed: "jamming"
    case .spoofed: "spoofing"
    }
  }
}

extension RecoveryStep {
  /// The value of the event field for it.
  var field: String {
    switch self {
    case .reopen: "reopen_port"
    case .findAgain: "search_baud_rate"
    case .warmStart: "warm_start"
    case .powerCycle: "power_cycle"
    }
  }
}

extension WatchEvidence {
  /// The fields of an event.
  func fields(now: Moment) -> EventFields {
    func lasting(_ evidence: EventValue, _ since: Moment) -> EventFields {
      [.evidence: evidence, .duration: .seconds(now - since)]
    }
    switch self {
    case .noBytes(let since): return lasting("no_bytes", since)
    case .bytesWithoutFrame(let count, let since):
      return lasting("bytes_without_message", since).merging([.bytes: .integer(Int64(count))])
    case .noEpoch(let since): return lasting("no_epoch", since)
    case .samePosition(let speed, let since):
      return lasting("same_position", since).merging([.speed: .thousandths(speed)])
    case .sameInstant(let since): return lasting("same_fix", since)
    case .timeStopped(let since): return lasting("same_time", since)
    case .timeFellBack(let by): return [.evidence: "time_went_back", .step: .integer(by.wholeMilliseconds)]
    case .timeJumped(let by): return [.evidence: "time_jumped", .step: .integer(by.wholeMilliseconds)]
    case .noFix(let time): return [.evidence: "no_fix", .duration: .seconds(time)]
    case .antenna(let state): return [.evidence: "antenna", .reason: .text(state.rawValue)]
    case .jamming(let state): return [.evidence: "jamming", .reason: .text(state.rawValue)]
    case .spoofing(let state): return [.evidence: "spoofing", .reason: .text(state.rawValue)]
    }
  }
}
