import Devices
import GNSS
import Quantities

// What is known of the receiver, in words for people.

extension LineNotice {
  /// What is worth a line to whoever looks closely, and no event.
  var words: String? {
    guard case .dialogue(let notice) = self else { return nil }
    switch notice {
    case .refused(let command): return "refuses \(command)"
    case .unanswered(let command): return "does not answer \(command)"
    case .asleep: return "sleeps"
    case .awake: return "is awake"
    case .cyclicModeFailed, .batchingFailed, .epochsLost, .found, .garbled, .mute, .identified,
      .notIdentified, .configured, .speedChanged,
      .speedChangeFailed,
      .lostInSpeedChange, .doesNotSleep, .doesNotWake, .restarted, .fellSilent:
      return nil
    }
  }
}

extension SleepObstacle {
  /// What stands in the way, and the remedy.
  var words: String {
    switch self {
    case .notAllowed: "receiver.control is none; full lets it be told"
    case .noCommand: "its language has no word for it; wire receiver.enable, or another receiver"
    case .needsPin: "only a pin would wake it again; wire receiver.enable"
    case .keepsTalking: "it goes on talking when told; wire receiver.enable"
    }
  }
}

extension SatelliteObstacle {
  /// Why only the satellites that the receiver reports by itself are known, and the remedy; no quotes in it.
  var words: String {
    switch self {
    case .notAllowed: "receiver.control is none, so that the receiver is not asked; full has it asked"
    case .notRunning: "the receiver is asleep or starting; ask again when outrider status shows that it runs"
    case .noCommand:
      "the receiver is of no known family, so that it is not asked; switch its GSV sentences on with its maker's tool"
    }
  }
}

extension ReceiverIdentity {
  var words: String {
    let named = [module, firmware.map { "firmware \($0)" }].compactMap { $0 }
    return (named + [family.rawValue]).joined(separator: ", ")
  }
}

extension Trouble {
  var words: String {
    switch self {
    case .silent: "the receiver is silent"
    case .unreadable: "nothing can be read"
    case .frozen: "the receiver stands still"
    case .impossibleTime: "the receiver's time is impossible"
    case .withoutFix: "no fix"
    case .antennaOpen: "no antenna"
    case .antennaShort: "the antenna's line has a short"
    case .jammed: "the receiver is jammed"
    case .spoofed: "the receiver suspects forged signals"
    }
  }
}

extension Remedy {
  var words: String {
    switch self {
    case .reopen: "the port was opened anew"
    case .findAgain: "it is searched for anew"
    case .warmStart: "it was started warm"
    case .powerCycle: "its supply was cut for a moment"
    }
  }
}

extension WatchEvidence {
  func words(now: Moment) -> String {
    switch self {
    case .noBytes(let since): "not a byte for \((now - since).wholeSeconds) s"
    case .bytesWithoutFrame(let count, let since): "\(count) bytes in \((now - since).wholeSeconds) s"
    case .noEpoch(let since): "sentences, but no time in them for \((now - since).wholeSeconds) s"
    case .samePosition(let speed, let since):
      "the same position for \((now - since).wholeSeconds) s at \(Int(speed.rounded())) m/s"
    case .sameInstant(let since): "the same fix for \((now - since).wholeSeconds) s"
    case .timeStopped(let since): "the same time for \((now - since).wholeSeconds) s"
    case .timeFellBack(let by): "it fell back by \(by.wholeMilliseconds) ms"
    case .timeJumped(let by): "it jumped ahead by \(by.wholeMilliseconds) ms"
    case .noFix(let time): "none for \(time.wholeSeconds) s; check the antenna and its view of the sky"
    case .antenna(let state): "the antenna's supervisor says \(state.rawValue)"
    case .jamming(let state): "the receiver says \(state.rawValue)"
    case .spoofing(let state): "spoofing is \(state.rawValue); positions and times may be false"
    }
  }
}
