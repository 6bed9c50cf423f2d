import LoggerConfiguration
import Chips
import Energy
import LocalAPI
import Quantities
import Settings
import System

/// The ledger of the logger, with the state that is needed to keep it.
struct EnergyMonitor {
  /// The minimum time between two saves of the ledger. It is saved only together with records.
  static let pause = Duration.seconds(900)

  /// The ledger.
  var ledger: EnergyLedger
  /// True if the last epoch of the receiver had a position.
  var hasFix = false
  /// The time of the last save.
  var savedAt: Moment
  /// Number of flushes of the log that are not in the ledger yet.
  var flushes: Int64 = 0
  /// The processor time and writes of the process that are in the ledger.
  private var cost = ProcessCost.sinceStart()

  init(_ configuration: Configuration, now: Moment) {
    ledger = EnergyLedger(BoardCurrents(configuration), now: now)
    savedAt = now
  }

  /// Adds the processor time and storage writes of the program since the last call.
  mutating func recordOwnCost() {
    let next = ProcessCost.sinceStart()
    ledger.spend(next.processor - cost.processor, as: .processor)
    let bytes = next.bytesWritten.flatMap { now in cost.bytesWritten.map { now &- $0 } }
    ledger.spend(StorageWriting.time(flushes: flushes, bytes: bytes), as: .storage)
    (cost, flushes) = (next, 0)
  }
}

extension Logger {
  /// Starts the consumers that draw current all the time, by the present figures.
  func beginEnergy(now: Moment) {
    energyMonitor.ledger.record(.host, drawing: .hostBase, now: now)
    let overhead = energyMonitor.ledger.currents[.overhead].map { _ in EnergyShare.overhead }
    energyMonitor.ledger.record(.overhead, drawing: overhead, now: now)
  }

  /// Updates the states of all consumers. Called on every turn of the loop, because a change of state wakes it.
  func followEnergy(now: Moment) {
    energyMonitor.ledger.record(.receiver, drawing: receiverEnergyState.map(EnergyShare.receiver), now: now)
    let isSensing = sensors.accelerometer.map { !$0.isLost } ?? false
    energyMonitor.ledger.record(.accelerometer, drawing: isSensing ? .accelerometer : nil, now: now)
    if case .part? = configuration.gauge {
      let isGauged = sensors.gauge.map { $0.snapshot.loss == nil } ?? false
      energyMonitor.ledger.record(.gauge, drawing: isGauged ? .gauge : nil, now: now)
    }
    let isSending = deliveries.values.contains { $0.isSending && $0.settings.form != .file }
    guard let schedule = radio?.schedule else {
      return energyMonitor.ledger.recordRadio(isSending ? .sending : .idle, now: now)
    }
    // A radio session is charged from its start: a radio that searches for its network draws as much as one that sends.
    let isTransmitting = isSending || schedule.isOn && !schedule.isUp
    energyMonitor.ledger.recordRadio(isTransmitting ? .sending : schedule.isOn ? .idle : .off, now: now)
  }

  /// The state of the receiver; nil if it does not respond, because its state is unknown.
  private var receiverEnergyState: ReceiverState? {
    let awake: ReceiverState = energyMonitor.hasFix ? .tracking : .searching
    guard let line else {
      guard let gpsd, gpsd.isOpen else { return nil }
      return awake
    }
    switch line.state {
    case .asleep: return line.isWithoutSupply ? .off : .backup
    case .waking: return .searching
    case .closed: return nil
    case .finding, .identifying, .configuring, .fallingAsleep, .running:
      guard line.isOpen else { return nil }
      switch tracker.receiverState {
      case .cyclic? where line.isInCyclicMode: return .cyclic
      // Cyclic tracking is not acknowledged yet.
      case .cyclic?, .tracking?, .settling?: return .tracking
      case .searching?: return .searching
      // Always on, or commanded to sleep and not asleep yet.
      case .backup?, .off?, nil: return awake
      }
    }
  }

  /// Processes a reading of the fuel gauge into the ledger.
  func recordEnergy(_ condition: BatteryCondition, now: Moment) {
    switch condition.state {
    case .charging, .full: energyMonitor.ledger.gauge(remaining: nil, now: now)
    case .unplugged, .unknown:
      guard let capacity = configuration.capacityMAh, let percent = condition.percent, condition.doubt == nil
      else { return }
      energyMonitor.ledger.gauge(remaining: Charge(milliampereHours: capacity * percent / 100), now: now)
    }
  }

  /// Saves the ledger with the records that are about to be written, if it is due.
  func keepEnergy(now: Moment, isLast: Bool = false) {
    guard isLast || now - energyMonitor.savedAt >= EnergyMonitor.pause else { return }
    energyMonitor.savedAt = now
    closeEnergy(now: now)
    post(.saveStateWithRecords(.energy, energyMonitor.ledger.text(now: now)))
  }

  /// Updates the ledger.
  private func closeEnergy(now: Moment) {
    energyMonitor.recordOwnCost()
    followEnergy(now: now)
    let time = tracker.clock.timestamp(at: now)
    energyMonitor.ledger.record(time: time, ahead: time.map(LocalTime.aheadOfUTC(at:)) ?? .zero, now: now)
  }

  public func energy(since: Timestamp?) -> StatusReport.Energy {
    let now = loop.now
    closeEnergy(now: now)
    let account = energyMonitor.ledger.account(since: since.map(LocalTime.day(of:)), now: now)
    return StatusReport.Energy(account, configuration)
  }
}
