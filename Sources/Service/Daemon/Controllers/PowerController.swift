import Chips
import Devices
import Energy
import EventLoop
import LocalAPI
import LoggerConfiguration
import Quantities
import Records
import Scheduling
import Settings
import System
import Tracking

/// Owns what the logger knows and decides about power: the energy ledger, the battery budget, the sleep of the host, and
/// the signs that recording is on.
final class PowerController {
  /// The parts that draw current at present.
  struct Consumers {
    /// The state of the receiver; nil if it is unknown.
    var receiver: ReceiverState?
    var isSensing: Bool
    /// True if a gauge on the bus is read; nil without one.
    var isGauged: Bool?
    var radio: RadioUse
  }

  /// Handlers, set before ``start()``.
  struct Outputs {
    var consumers: () -> Consumers = {
      Consumers(receiver: nil, isSensing: false, isGauged: nil, radio: .idle)
    }
    /// The battery budget permits another send interval than before.
    var budgetChanged: () -> Void = {}
  }

  private let context: LoggerContext
  private let tracking: TrackerController
  private let log: LogController
  var outputs = Outputs()
  private var energy: EnergyMonitor
  /// The power level that the logger follows.
  private(set) var stage = PowerStage.normal
  /// The time at which the tracker last received the measured use.
  private var reviewed: Moment?
  /// The sleep of the host.
  let hostSleep: HostSleepController
  /// Keeps the host awake during trips; nil before its first use.
  private var sleepInhibitor: SleepInhibitor?
  /// The status LED; nil before it is lit for the first time.
  private var light: StatusLight?
  private var isLit = false
  /// True while the battery has an external supply; nil if unknown.
  private var isPlugged: Bool?
  private var isStopped = false

  private var loop: EventLoop { context.loop }
  private var configuration: Configuration { context.configuration }
  private var journal: Journal { context.journal }

  /// `openBus` opens the bus of a power manager.
  init(
    _ context: LoggerContext, _ tracking: TrackerController, _ log: LogController,
    openBus: @escaping BusOpening = LinuxI2CBus.opening(_:for:)
  ) {
    self.context = context
    self.tracking = tracking
    self.log = log
    hostSleep = HostSleepController(context, tracking, log, openBus: openBus)
    energy = EnergyMonitor(context.configuration, now: context.loop.now)
  }

  /// Stops the sleep of the host, and shows that recording has ended.
  func stop() {
    isStopped = true
    followRecording()
  }

  /// Applies a changed configuration, which is in force already, to the ledger.
  func followCurrents() {
    energy.ledger.change(BoardCurrents(configuration), now: loop.now)
    beginLedger(now: loop.now)
  }

  // MARK: The power level

  /// Follows the power level of the tracker; returns false if it is the same as before.
  func stageChanged() -> Bool {
    guard stage != tracking.tracker.summary.powerStage else { return false }
    stage = tracking.tracker.summary.powerStage
    return true
  }

  /// Processes a reading of the gauge, changed or not.
  func process(_ condition: BatteryCondition, now: Moment) {
    isPlugged = condition.isPlugged
    guard configuration.supply != .mains else { return }
    tracking.process(.power(PowerReading(condition)), now: now)
    review(condition, now: now)
  }

  /// Passes the measured use to the battery budget, every few hours.
  private func review(_ condition: BatteryCondition, now: Moment) {
    guard tracking.tracker.settings.budget != nil, reviewed.map({ now - $0 >= PowerBudget.pause }) ?? true
    else { return }
    let account = account(now: now)
    guard let use = PowerUse(account, condition, capacity: configuration.capacityMAh) else { return }
    reviewed = now
    let before = tracking.tracker.power.budget.intervalFactor
    tracking.process(.powerUse(use), now: now)
    if tracking.tracker.power.budget.intervalFactor != before { outputs.budgetChanged() }
  }

  // MARK: The ledger

  /// Starts the consumers that draw current all the time, by the present figures.
  func beginLedger(now: Moment) {
    energy.ledger.record(.host, drawing: .hostBase, now: now)
    let overhead = energy.ledger.currents[.overhead].map { _ in EnergyShare.overhead }
    energy.ledger.record(.overhead, drawing: overhead, now: now)
  }

  /// Continues the ledger of an earlier run.
  func restoreLedger(_ text: String) { energy.ledger.restore(text) }

  /// Counts a flush of the log.
  func countFlush() { energy.flushes &+= 1 }

  /// Updates the states of all consumers. Called on every turn of the loop, because a change of state wakes it.
  func followConsumers(now: Moment) {
    let consumers = outputs.consumers()
    energy.ledger.record(.receiver, drawing: consumers.receiver.map(EnergyShare.receiver), now: now)
    energy.ledger.record(.accelerometer, drawing: consumers.isSensing ? .accelerometer : nil, now: now)
    if let isGauged = consumers.isGauged {
      energy.ledger.record(.gauge, drawing: isGauged ? .gauge : nil, now: now)
    }
    energy.ledger.recordRadio(consumers.radio, now: now)
  }

  /// Processes a changed state of the battery into the ledger.
  func recordCharge(_ condition: BatteryCondition, now: Moment) {
    switch condition.state {
    case .charging, .full: energy.ledger.gauge(remaining: nil, now: now)
    // The battery supplies nothing.
    case .unknown where condition.isPlugged == true: energy.ledger.gauge(remaining: nil, now: now)
    case .unplugged, .unknown:
      guard let capacity = configuration.capacityMAh, let percent = condition.percent, condition.doubt == nil
      else { return }
      energy.ledger.gauge(remaining: Charge(milliampereHours: capacity * percent / 100), now: now)
    }
  }

  /// The charge since the start of a day, or as long as the ledger is kept.
  func account(since: Timestamp? = nil, now: Moment) -> ChargeAccount {
    energy.ledger.account(since: since.map(LocalTime.day(of:)), now: now)
  }

  /// Saves the ledger with the records that are about to be written, if it is due or `atOnce`.
  func saveLedger(now: Moment, atOnce: Bool = false) {
    guard atOnce || now - energy.savedAt >= EnergyMonitor.pause else { return }
    energy.savedAt = now
    updateLedger(now: now)
    log.post(.saveStateWithRecords(.energy, energy.ledger.text(now: now)))
  }

  private func updateLedger(now: Moment) {
    energy.recordOwnCost()
    followConsumers(now: now)
    let time = tracking.tracker.fixes.clock.timestamp(at: now)
    energy.ledger.record(time: time, ahead: time.map(LocalTime.aheadOfUTC(at:)) ?? .zero, now: now)
  }

  /// True on mains, and while a battery or vehicle supply is charged, or a battery has an external supply.
  var isExternallySupplied: Bool {
    switch configuration.supply {
    case .mains: true
    case .vehicle, .battery:
      isPlugged == true
        || tracking.tracker.facts.battery.map { [.charging, .full].contains($0.state) } ?? false
    }
  }

  // MARK: The sleep of the host

  /// Starts the control of host sleep, if it is configured. Tests pass a controller of their own.
  func startHost(_ given: HostController? = nil) {
    hostSleep.ledger = HostSleepController.Ledger(
      draw: { [unowned self] share in energy.ledger.record(.host, drawing: share, now: loop.now) },
      spendDown: { [unowned self] time in energy.ledger.spend(time, as: .hostDown) },
      spendCycle: { [unowned self] charge in energy.ledger.record(charge, to: .hostCycle) },
      save: { [unowned self] in saveLedger(now: loop.now, atOnce: true) })
    hostSleep.start(given)
  }

  // MARK: Signs of recording

  /// Switches the status LED and the sleep inhibitor. Called after every change that may affect them.
  func followRecording() {
    showRecording()
    keepHostAwake()
  }

  /// Switches the status LED. The kernel keeps control of the LED until it is lit for the first time.
  private func showRecording() {
    let asks = tracking.isInTrip ? configuration.trip.showsIndicator : configuration.main.showsIndicator
    let shouldBeLit = asks && configuration.isTracking && !isStopped
    guard shouldBeLit != isLit, let settings = configuration.leds.status else { return }
    isLit = shouldBeLit
    do throws(SystemError) {
      if light == nil { light = try StatusLight(settings.wiring) }
      try light?.show(isLit)
    } catch {
      guard isLit else { return }
      journal.log(
        .warning,
        "leds.status: \(error); recording is not indicated; permit this user to write to the LED (udev rule)")
    }
  }

  /// Takes or releases the sleep inhibitor of `trip.prevent_screen_lock`.
  private func keepHostAwake() {
    let isRequired = tracking.isInTrip && configuration.trip.preventsScreenLock && !isStopped
    guard isRequired || sleepInhibitor != nil else { return }
    let inhibitor = sleepInhibitor ?? SleepInhibitor(loop: loop)
    sleepInhibitor = inhibitor
    inhibitor.onFailure = { [unowned self] reason in
      journal.log(
        .warning,
        "trip.prevent_screen_lock: \(reason); the host may sleep during trips; "
          + "permit org.freedesktop.login1.inhibit-block-sleep for this user in polkit")
    }
    inhibitor.setActive(isRequired)
  }

  // MARK: The status

  /// The ledger since the start of a day, or as long as it is kept.
  func energyReport(since: Timestamp?) -> StatusReport.Energy {
    let now = loop.now
    updateLedger(now: now)
    return StatusReport.Energy(account(since: since, now: now), configuration)
  }

  /// The ledger by local day; accounts without a date are left out.
  var energyDays: StatusReport.EnergyDays {
    let now = loop.now
    updateLedger(now: now)
    return StatusReport.EnergyDays(
      energy.ledger.days(now: now).compactMap { account in
        account.day.map { day in
          let date = CalendarDate(daysSince1970: min(max(day, -719_162), 2_932_896))
          return StatusReport.EnergyDays.Day(
            day: String(Timestamp(date).iso8601().prefix(10)), StatusReport.Energy(account, configuration))
        }
      })
  }

  /// The power level and the battery budget; nil if the supply is unlimited.
  var report: StatusReport.Power? {
    guard tracking.tracker.settings.power != nil else { return nil }
    let power = tracking.tracker.power
    var report = StatusReport.Power(level: power.level.rawValue, reason: power.cause.text)
    let budget = tracking.tracker.power.budget
    report.days_left = budget.forecast.map { forecast in
      StatusReport.Power.Days(
        fewest: Self.tenths(forecast.days.fewest), likeliest: Self.tenths(forecast.days.likeliest),
        most: Self.tenths(forecast.days.most), most_if_sampled_least: Self.tenths(forecast.longestDays))
    }
    report.draws_mAh_day = budget.forecast.map { Self.tenths($0.perDay) }
    if let until = budget.rules?.until {
      report.last_until = until.iso8601()
      report.stretch = Self.tenths(budget.intervalFactor)
      report.budget = budget.text
    }
    return report
  }

  private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

/// The ledger of the logger, with the state that is needed to keep it.
private struct EnergyMonitor {
  /// The minimum time between two saves of the ledger. It is saved only together with records.
  static let pause = Duration.seconds(900)

  var ledger: EnergyLedger
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

extension LEDSettings.Light {
  fileprivate var wiring: StatusLight.Wiring {
    switch self {
    case .named(let name): .named(name)
    case .line(let line): .line(LineWiring(line))
    }
  }
}
