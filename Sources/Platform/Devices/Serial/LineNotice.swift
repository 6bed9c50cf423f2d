import GNSSProtocol
import GNSSReceiver
import Quantities
import System

/// A state change of the receiver's line that people should know.
public enum LineNotice: Equatable, Sendable {
  /// The port cannot be opened, went away or accepts no data; reported once until bytes arrive again.
  case lost(SystemError)
  /// The line that switches the receiver's supply cannot be set.
  case supplyRefused(SystemError)
  /// The receiver uses an unsupported protocol.
  case foreign(ForeignProtocol)
  case dialogue(DialogueNotice)
  case began(ReceiverFault, WatchEvidence)
  case ended(ReceiverFault, lasted: Duration)
  case remedy(RecoveryStep, against: ReceiverFault)
  /// All recovery steps were tried; the next attempt is at `until`.
  case backOff(ReceiverFault, tried: [RecoveryStep], until: Moment)
}

/// Ensures that each fault is reported once, although port, dialogue and watch may all notice it.
struct LineNoticeFilter: Equatable, Sendable {
  private var isLost = false
  private var isSilent = false
  private var isGarbled = false
  private var isSleepless = false

  /// Records that bytes arrive: the port works.
  mutating func received() { isLost = false }

  /// True if the fault is to be reported; false if the same fault was reported already, possibly by another notice.
  mutating func admit(_ notice: LineNotice) -> Bool {
    switch notice {
    case .lost: return Self.begin(&isLost)
    case .supplyRefused, .foreign: return true
    case .began(let fault, _): return begin(fault)
    case .ended(let fault, _): return end(fault)
    case .remedy, .backOff: return true
    case .dialogue(let notice): return admit(notice)
    }
  }

  private mutating func admit(_ notice: DialogueNotice) -> Bool {
    switch notice {
    case .garbled: return Self.begin(&isGarbled)
    case .mute, .doesNotWake: return Self.begin(&isSilent)
    // The watch reports a silence that lasts.
    case .fellSilent: return false
    case .found:
      (isSilent, isGarbled) = (false, false)
      return true
    // The scheduler repeats its request for sleep.
    case .doesNotSleep: return Self.begin(&isSleepless)
    case .asleep, .identified:
      isSleepless = false
      return true
    // The dialogue alone reports the others.
    default: return true
    }
  }

  private mutating func begin(_ fault: ReceiverFault) -> Bool {
    switch fault {
    case .silent: Self.begin(&isSilent)
    case .unreadable: Self.begin(&isGarbled)
    case .frozen, .impossibleTime, .withoutFix, .antennaOpen, .antennaShort, .jammed, .spoofed: true
    }
  }

  private mutating func end(_ fault: ReceiverFault) -> Bool {
    switch fault {
    case .silent: Self.end(&isSilent)
    case .unreadable: Self.end(&isGarbled)
    case .frozen, .impossibleTime, .withoutFix, .antennaOpen, .antennaShort, .jammed, .spoofed: true
    }
  }

  private static func begin(_ isReported: inout Bool) -> Bool {
    defer { isReported = true }
    return !isReported
  }

  private static func end(_ isReported: inout Bool) -> Bool {
    defer { isReported = false }
    return isReported
  }
}
