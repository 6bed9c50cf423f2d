import Devices
import GNSS
import Glibc
import Quantities
import Records

extension EventRecord {
  /// The event of what happened to the receiver; nil for what no log needs.
  init?(_ notice: LineNotice, port: String, now: Moment) {
    switch notice {
    case .lost(let error):
      self.init(
        .receiverLost, detail: "\(error); \(Self.remedy(for: error.number)), it is tried again all the time")
    case .supplyRefused(let error):
      self.init(.receiverTrouble, detail: "receiver.enable: \(error); the receiver's supply stays as it is")
    case .foreign(.sirfBinary):
      self.init(.receiverTrouble, detail: "\(port): \(SirfBinary.explanation)")
    case .dialogue(let notice): self.init(notice, port: port)
    case .began(let trouble, let evidence):
      self.init(trouble, evidence, port: port, now: now)
    case .ended(.silent, let lasted):
      self.init(.receiverFound, detail: "\(port): speaks again after \(lasted.wholeSeconds) s")
    case .ended(let trouble, let lasted):
      let seconds = lasted.wholeSeconds
      self.init(
        .receiverRecovered, detail: "\(port): over after \(seconds) s: \(trouble.words)", value: seconds)
    case .remedy(let remedy, let trouble):
      self.init(.receiverRemedy, detail: "\(port): \(trouble.words): \(remedy.words)")
    case .rest(let trouble, let tried, let until):
      let seconds = (until - now).wholeSeconds
      let remedies = tried.isEmpty ? "nothing can be tried" : tried.map(\.words).joined(separator: ", ")
      self.init(
        .receiverRemedy,
        detail:
          "\(port): \(trouble.words), in spite of: \(remedies); look at the receiver, its cable and antenna; "
          + "tried again in \(seconds) s")
    }
  }

  private init?(_ notice: DialogueNotice, port: String) {
    switch notice {
    case .found(let speed?):
      self.init(.receiverFound, detail: "\(port): valid frames at \(speed) baud", value: Int64(speed))
    case .found(nil): self.init(.receiverFound, detail: "\(port): valid frames")
    case .garbled(let hasSpeed):
      self.init(
        .receiverGarbled,
        detail: hasSpeed
          ? "\(port): bytes but no valid frame at any speed; check the wiring and receiver.speed"
          : "\(port): bytes but no valid frame; check that it is the receiver's port")
    case .mute:
      self.init(
        .receiverSilent,
        detail: "\(port): not a byte, not even when asked; check the receiver's supply and wiring")
    case .doesNotWake:
      self.init(.receiverSilent, detail: "\(port): the receiver does not wake; it is searched for")
    case .identified(let identity): self.init(.receiverIdentified, detail: "\(port): \(identity.words)")
    case .notIdentified:
      self.init(
        .receiverIdentified, detail: "\(port): the receiver answers no question; it is used as it is")
    case .configured(let refused, let unanswered):
      let missing = refused + unanswered
      let words = missing == 0 ? "set up" : "set up, but for \(missing) commands that it did not take"
      self.init(.receiverConfigured, detail: "\(port): \(words)", value: Int64(missing))
    case .speedChanged(let old, let new):
      self.init(.receiverSpeed, detail: "\(port): from \(old) to \(new) baud", value: Int64(new))
    case .speedChangeFailed(let wanted, let speed):
      self.init(
        .receiverSpeed, detail: "\(port): \(wanted) baud cannot be used; it stays at \(speed)",
        value: Int64(speed))
    case .lostInSpeedChange(let wanted, let speed):
      self.init(
        .receiverSpeed,
        detail:
          "\(port): after the change to \(wanted) baud it is heard neither there nor at \(speed); it is "
          + "searched for")
    case .doesNotSleep(let obstacle):
      self.init(.receiverTrouble, detail: "\(port): cannot be put to sleep: \(obstacle.words)")
    case .cyclicModeFailed(let command):
      let reason = command.map { "it does not take \($0)" } ?? "it fell silent in cyclic mode"
      self.init(.receiverConfigured, detail: "\(port): without cyclic mode, for \(reason)")
    case .batchingFailed(let command):
      self.init(
        .receiverConfigured,
        detail: "\(port): it does not take \(command), so its epochs wait in the line's buffer alone")
    case .epochsLost(let count):
      self.init(
        .receiverTrouble, detail: "\(port): \(count) epochs that the receiver kept are lost",
        value: Int64(count))
    case .restarted: self.init(.receiverRestarted, detail: "\(port): it is set up again")
    case .refused, .unanswered, .asleep, .awake, .fellSilent: return nil
    }
  }

  private init(_ trouble: Trouble, _ evidence: WatchEvidence, port: String, now: Moment) {
    switch trouble {
    case .silent:
      var seconds: Int64 = 0
      if case .noBytes(let since) = evidence { seconds = (now - since).wholeSeconds }
      self.init(.receiverSilent, detail: "\(port): nothing for \(seconds) s", value: seconds)
    case .unreadable:
      self.init(
        .receiverGarbled,
        detail:
          "\(port): bytes but no valid frame (\(evidence.words(now: now))); check the wiring and receiver.speed"
      )
    case .frozen, .impossibleTime, .withoutFix, .antennaOpen, .antennaShort, .jammed, .spoofed:
      self.init(.receiverTrouble, detail: "\(port): \(trouble.words): \(evidence.words(now: now))")
    }
  }

  /// The event of what happened to a receiver that gpsd shares.
  init(_ notice: GPSDSource.Notice, of source: GPSDSource) {
    let name = "gpsd at \(source.address)"
    switch notice {
    case .found:
      let device = source.device.map { "\($0)" } ?? "a receiver"
      self.init(
        .receiverFound, detail: "\(name)\(source.release.map { ", version \($0)" } ?? ""): \(device) speaks")
    case .lost(let failure):
      self.init(
        .receiverLost,
        detail: "\(name): \(failure); \(Self.remedy(for: failure)), it is tried again all the time")
    case .silent(let seconds):
      self.init(
        .receiverSilent,
        detail: "\(name): nothing of a receiver for \(seconds) s; ask gpsmon or cgps whether gpsd has one",
        value: seconds)
    case .speaking: self.init(.receiverFound, detail: "\(name): speaks again")
    }
  }

  private static func remedy(for failure: GPSDFailure) -> String {
    switch failure {
    case .unknownHost: "check the host in receiver.gpsd"
    case .unreachable: "check that gpsd runs and receiver.gpsd names its port"
    case .noAnswer: "check the network and receiver.gpsd"
    case .ended: "look into the journal of gpsd"
    case .deviceGone: "check its cable"
    case .library, .system: "check receiver.gpsd"
    }
  }

  private static func remedy(for number: Int32) -> String {
    switch number {
    case ENOENT: "check receiver.port and the cable"
    case EAGAIN, EBUSY:
      "another program holds the port (gpsd, ModemManager, a login console, another outrider): stop it"
    case EACCES: "this user may not open it: join the group dialout"
    case ENOTTY, EISDIR: "this is no serial line: check receiver.port"
    case ETIMEDOUT: "it takes no bytes: check the port, or set receiver.control to none"
    default: "check the cable"
    }
  }

  /// One line for the journal.
  var line: String {
    let words = kind.rawValue.split(separator: "_").joined(separator: " ")
    return detail.isEmpty ? words : "\(words): \(detail)"
  }
}

extension Journal.Level {
  /// How urgent an event is to whoever reads the journal.
  init(_ kind: EventKind) {
    switch kind {
    case .storageFailing, .logSalvaged, .recordsMissing, .recordsDropped: self = .error
    case .receiverLost, .receiverSilent, .receiverGarbled, .receiverTrouble, .receiverRemedy,
      .configurationRefused, .deliveryFailing, .deliveryDoubtful, .recordSetAside, .clockStepped,
      .weekRepaired, .clockLost, .gaugeLost, .gaugeDoubtful, .accelerometerLost, .accelerometerDoubtful,
      .batteryLow,
      .powerLevel, .supplyUnder, .supplyOver, .brownOut, .storageNearlyFull, .storageSlow, .storageVolatile,
      .backlogOver,
      .hostStaysUp, .ignitionLost, .parkingMoved, .towed, .remoteWentBack, .notificationFailing,
      .networkFailing:
      self = .warning
    case .started, .stopped, .configurationChanged, .remoteApplied, .remoteProved, .receiverFound,
      .receiverIdentified, .receiverConfigured,
      .receiverSpeed, .receiverRestarted, .receiverRecovered, .firstFix, .clockSet, .clockSourceChanged,
      .storageRecovered,
      .storageHasRoom, .storageKeepsUp, .backlogUnder, .batteryFull, .supplyInRange,
      .deliveryRecovered, .gaugeReturned, .accelerometerReturned, .chargerAttached, .chargerRemoved,
      .powerBudget,
      .ignitionOn, .ignitionOff, .tripStarted, .tripEnded, .gap, .zoneEntered, .zoneLeft, .zoneDwelt,
      .harshAcceleration, .harshBraking, .harshCornering, .overspeedStarted, .overspeedEnded,
      .idlingStarted, .idlingEnded, .queueDropped, .networkRecovered, .hostSleeping, .hostWoke:
      self = .notice
    case .fixesRejected, .fixesLeftOut, .heartbeat, .motionChanged, .motionBegan, .motionEnded,
      .receiverResting, .trackingPaused, .trackingResumed:
      self = .debug
    }
  }
}
