import Chips
import Energy
import LocalAPI
import Quantities
import Settings
import SystemLoop
import Tracking

/// What the logger has noted of what its box draws.
struct EnergyDuty {
  /// The book goes into the log no more often than this, and only with records that are written anyway.
  static let pause = Duration.seconds(900)

  var book: EnergyBook
  /// The last epoch of the receiver had a position.
  var hasFix = false
  var savedAt: Moment
  /// Flushes of the log that are not in the book yet.
  var flushes: Int64 = 0
  /// What the process had cost when that went into the book last.
  private var cost = ProcessCost.sinceStart()

  init(_ configuration: Configuration, now: Moment) {
    book = EnergyBook(BoardCurrents(configuration), now: now)
    savedAt = now
  }

  /// What the program itself has cost since the last time goes into the book.
  mutating func noteOwnCost() {
    let next = ProcessCost.sinceStart()
    book.spend(next.processor - cost.processor, as: .processor)
    let bytes = next.bytesWritten.flatMap { now in cost.bytesWritten.map { now &- $0 } }
    book.spend(StorageWriting.time(flushes: flushes, bytes: bytes), as: .storage)
    (cost, flushes) = (next, 0)
  }
}

extension Logger {
  /// What draws from the start to the end, by the figures that count now.
  func beginEnergy(now: Moment) {
    energyDuty.book.note(.host, does: .hostBase, now: now)
    let overhead = energyDuty.book.currents[.overhead].map { _ in EnergyShare.overhead }
    energyDuty.book.note(.overhead, does: overhead, now: now)
  }

  /// Looks each turn at what the parts do: what has changed them has woken the loop.
  func followEnergy(now: Moment) {
    energyDuty.book.note(.receiver, does: receiverDoes.map(EnergyShare.receiver), now: now)
    let isSensing = accelerometer.map { !$0.isLost } ?? false
    energyDuty.book.note(.accelerometer, does: isSensing ? .accelerometer : nil, now: now)
    if case .part? = configuration.gauge {
      let isGauged = gauge.map { $0.standing.loss == nil } ?? false
      energyDuty.book.note(.gauge, does: isGauged ? .gauge : nil, now: now)
    }
    let isSending = deliveries.values.contains { $0.isSending && $0.settings.form != .file }
    guard let plan = radio?.plan else {
      return energyDuty.book.noteRadio(isSending ? .sending : .idle, now: now)
    }
    // A session is charged from the first moment: a radio that looks for its network draws what one that sends does.
    let works = isSending || plan.isOn && !plan.isUp
    energyDuty.book.noteRadio(works ? .sending : plan.isOn ? .idle : .off, now: now)
  }

  /// What the receiver draws current for; nil where none answers, for nobody knows what it does.
  private var receiverDoes: ReceiverState? {
    let awake: ReceiverState = energyDuty.hasFix ? .tracking : .searching
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
      // Cyclic mode is not acknowledged yet, so that it tracks.
      case .cyclic?, .tracking?, .settling?: return .tracking
      case .searching?: return .searching
      // Always on, or told to sleep and not asleep.
      case .backup?, .off?, nil: return awake
      }
    }
  }

  /// The gauge has told something.
  func noteEnergy(_ condition: BatteryCondition, now: Moment) {
    switch condition.state {
    case .charging, .full: energyDuty.book.gauge(remaining: nil, now: now)
    case .unplugged, .unknown:
      guard let capacity = configuration.capacityMAh, let percent = condition.percent, condition.doubt == nil
      else { return }
      energyDuty.book.gauge(remaining: Charge(milliampereHours: capacity * percent / 100), now: now)
    }
  }

  /// Before records are written: the book goes with them when it is time.
  func keepEnergy(now: Moment, isLast: Bool = false) {
    guard isLast || now - energyDuty.savedAt >= EnergyDuty.pause else { return }
    energyDuty.savedAt = now
    closeEnergy(now: now)
    post(.noteWithRecords(.energy, energyDuty.book.text(now: now)))
  }

  /// Everything up to now is in the book.
  private func closeEnergy(now: Moment) {
    energyDuty.noteOwnCost()
    followEnergy(now: now)
    let time = tracker.clock.timestamp(at: now)
    energyDuty.book.note(time: time, ahead: time.map(LocalTime.aheadOfUTC(at:)) ?? .zero, now: now)
  }

  public func energy(since: Timestamp?) -> StatusReport.Energy {
    let now = loop.now
    closeEnergy(now: now)
    let account = energyDuty.book.account(since: since.map(LocalTime.day(of:)), now: now)
    return StatusReport.Energy(account, configuration)
  }
}
