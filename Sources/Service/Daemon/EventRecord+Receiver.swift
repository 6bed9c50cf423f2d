import Devices
import GNSSReceiver
import Glibc
import Quantities
import Records

extension EventRecord {
  /// The event of a notice of the receiver; nil for notices that the log does not need.
  init?(_ notice: LineNotice, port: String, now: Moment) {
    let origin: EventFields = [.port: .text(port)]
    switch notice {
    case .lost(let error):
      self.init(
        .receiverLost,
        origin.merging([.reason: .text("\(error)"), .cause: .text(Self.cause(of: error.number))]))
    case .supplyRefused(let error):
      self.init(.receiverFault, origin.merging([.fault: "supply_switch", .reason: .text("\(error)")]))
    case .foreign(.sirfBinary):
      self.init(
        .receiverFault,
        origin.merging([.fault: "unsupported_protocol", .reason: .text(SirfBinary.explanation)]))
    case .dialogue(let notice): self.init(notice, origin)
    case .began(let fault, let evidence): self.init(fault, evidence, origin, now: now)
    case .ended(.silent, let lasted):
      self.init(.receiverFound, origin.merging([.duration: .seconds(lasted)]))
    case .ended(let fault, let lasted):
      self.init(
        .receiverRecovered, origin.merging([.fault: .text(fault.field), .duration: .seconds(lasted)]))
    case .remedy(let remedy, let fault):
      self.init(
        .receiverRecoveryStep, origin.merging([.fault: .text(fault.field), .remedy: .text(remedy.field)]))
    case .backOff(let fault, let tried, let until):
      self.init(
        .receiverRecoveryStep,
        origin.merging([
          .fault: .text(fault.field), .tried: .list(tried.map(\.field)), .retry: .seconds(until - now),
        ]))
    }
  }

  private init?(_ notice: DialogueNotice, _ origin: EventFields) {
    func event(_ kind: EventKind, _ evidence: EventFields = [:]) -> EventRecord {
      EventRecord(kind, origin.merging(evidence))
    }
    func baud(_ speed: some BinaryInteger) -> EventValue { .integer(Int64(speed)) }
    switch notice {
    case .found(let speed): self = event(.receiverFound, [.baud: speed.map { baud($0) }])
    case .garbled(let hasSpeed):
      self = event(.receiverGarbled, [.cause: hasSpeed ? "all_baud_rates" : "wrong_port"])
    case .mute: self = event(.receiverSilent, [.cause: "no_answer"])
    case .doesNotWake: self = event(.receiverSilent, [.cause: "does_not_wake"])
    case .identified(let identity):
      self = event(
        .receiverIdentified,
        [
          .module: identity.module.map { .text($0) }, .firmware: identity.firmware.map { .text($0) },
          .device: .text(identity.family.rawValue),
        ])
    case .notIdentified: self = event(.receiverIdentified)
    case .configured(let refused, let unanswered):
      self = event(.receiverConfigured, [.count: .integer(Int64(refused + unanswered))])
    case .speedChanged(let old, let new):
      self = event(.receiverSpeed, [.cause: "changed", .previousBaud: baud(old), .baud: baud(new)])
    case .speedChangeFailed(let wanted, let speed):
      self = event(.receiverSpeed, [.cause: "rejected", .desiredBaud: baud(wanted), .baud: baud(speed)])
    case .lostInSpeedChange(let wanted, let speed):
      self = event(
        .receiverSpeed, [.cause: "lost", .desiredBaud: baud(wanted), .previousBaud: baud(speed)])
    case .doesNotSleep(let obstacle):
      self = event(.receiverFault, [.fault: "does_not_sleep", .obstacle: .text(obstacle.field)])
    case .cyclicModeFailed(let command?):
      self = event(.receiverConfigured, [.cause: "cyclic_refused", .command: .text("\(command)")])
    case .cyclicModeFailed(nil): self = event(.receiverConfigured, [.cause: "cyclic_silent"])
    case .batchingFailed(let command):
      self = event(.receiverConfigured, [.cause: "batching_refused", .command: .text("\(command)")])
    case .epochsLost(let count):
      self = event(.receiverFault, [.fault: "epochs_lost", .count: .integer(Int64(count))])
    case .epochsMissing(let missing, let count):
      self = event(
        .receiverFault,
        [
          .fault: "epochs_missing", .count: .integer(Int64(missing.dropped > 0 ? missing.dropped : count)),
          .cause: missing.dropped > 0 ? "no_room" : "not_stored",
          .started: .integer(missing.after.milliseconds), .time: .integer(missing.before.milliseconds),
        ])
    case .restarted: self = event(.receiverRestarted)
    case .refused, .unanswered, .asleep, .awake, .fellSilent: return nil
    }
  }

  private init(_ fault: ReceiverFault, _ evidence: WatchEvidence, _ origin: EventFields, now: Moment) {
    let fields = origin.merging(evidence.fields(now: now))
    switch fault {
    case .silent: self.init(.receiverSilent, fields)
    case .unreadable: self.init(.receiverGarbled, fields)
    case .frozen, .impossibleTime, .withoutFix, .antennaOpen, .antennaShort, .jammed, .spoofed:
      self.init(.receiverFault, fields.merging([.fault: .text(fault.field)]))
    }
  }

  /// The event of a notice of a receiver that gpsd shares.
  init(_ notice: GPSDSource.Notice, of source: GPSDSource) {
    let origin: EventFields = [.gpsd: .text("\(source.address)")]
    switch notice {
    case .found:
      self.init(
        .receiverFound,
        origin.merging([
          .gpsdVersion: source.release.map { .text("\($0)") },
          .device: .text(source.device.map { "\($0)" } ?? "a receiver"),
        ]))
    case .lost(let failure):
      self.init(
        .receiverLost,
        origin.merging([.reason: .text("\(failure)"), .cause: .text(Self.cause(of: failure))]))
    case .silent(let seconds): self.init(.receiverSilent, origin.merging([.duration: .integer(seconds)]))
    case .recovered: self.init(.receiverFound, origin)
    }
  }

  private static func cause(of failure: GPSDFailure) -> String {
    switch failure {
    case .unknownHost: "unknown_host"
    case .unreachable: "unreachable"
    case .noAnswer: "no_answer"
    case .ended: "connection_closed"
    case .deviceGone: "disconnected"
    case .library, .system: "configuration"
    }
  }

  private static func cause(of number: Int32) -> String {
    switch number {
    case ENOENT: "no_such_file"
    case EAGAIN, EBUSY: "busy"
    case EACCES: "permission_denied"
    case ENOTTY, EISDIR: "no_serial_port"
    case ETIMEDOUT: "write_timeout"
    default: "disconnected"
    }
  }
}
