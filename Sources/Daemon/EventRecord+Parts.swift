import Quantities
import Records
import Store
import SystemLoop
import Uplink

// The events of what is neither receiver nor chip.

extension EventRecord {
  /// The operator gave up so many records that waited for a destination.
  public init(dropped count: Int, waitingFor destination: String) {
    self.init(
      .queueDropped,
      detail:
        "destination \(destination): \(count) records are not sent there any more; they stay in the log",
      value: Int64(count))
  }

  /// A turn for the worse or the better at a destination.
  init(_ report: DeliveryReport, of destination: String) {
    let kind: EventKind
    var value: Int64?
    switch report {
    case .failing(let refusal): kind = refusal.kind == .unrouted ? .deliveryDoubtful : .deliveryFailing
    case .recovered: kind = .deliveryRecovered
    case .setAside(let id, _): (kind, value) = (.recordSetAside, id.rawValue)
    case .odd: kind = .deliveryDoubtful
    }
    self.init(kind, detail: report.message(destination: destination), value: value)
  }

  /// What the ignition line says.
  init(ignition isOn: Bool) { self.init(isOn ? .ignitionOn : .ignitionOff) }

  /// The ignition line cannot be read.
  init(ignitionLost error: SystemError) {
    self.init(
      .ignitionLost, detail: "\(error); check lines.ignition, and that the user is in the group gpio")
  }

  /// The network cannot be switched, for this reason, or can again, for none. `failures` of all so far.
  init(network trouble: String?, failures: Int64?) {
    guard let trouble else {
      self.init(.networkRecovered, value: failures)
      return
    }
    self.init(
      .networkFailing,
      detail: "\(trouble); what waits is tried all the same, see network.up, network.down and network.rfkill",
      value: failures)
  }

  /// The program or URL of `notifications` failed, `count` times so far.
  init(notificationFailure reason: String, count: Int64) {
    self.init(.notificationFailing, detail: "notifications: \(reason)", value: count)
  }

  /// Groups of records take very long to be written, or no longer do.
  init(_ change: CommitPace.Change) {
    switch change {
    case .slow(let took):
      self.init(
        .storageSlow,
        detail: "a group of records took \(took.wholeMilliseconds) ms to be written; is the card worn out?",
        value: took.wholeMilliseconds)
    case .quick(let took):
      self.init(
        .storageKeepsUp, detail: "groups of records are written quickly again", value: took.wholeMilliseconds)
    }
  }

  /// The log lies in a directory on a file system of memory.
  init(volatile directory: String, on fileSystem: String) {
    self.init(
      .storageVolatile,
      detail:
        "\(directory) is on \(fileSystem): the log does not outlive a power cut (storage.allow_volatile)")
  }
}
