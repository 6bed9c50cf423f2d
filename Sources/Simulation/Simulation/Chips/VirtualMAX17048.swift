import Quantities

/// A simulation of Maxim's MAX17048 at register level (data sheet 19-6171, table "Register Summary" and the
/// sections named after the registers): words, the more significant byte first.
///
/// Simulated: voltage, charge and rate with their resolution and measurement times, hibernation, sleep,
/// alerts and the ALRT pin, reset by command and by an exchanged cell. A quick start has no effect, since the
/// charge is that of the track; the locked table reads 0.
public struct VirtualMAX17048: VirtualPart, Sendable {
  /// Measurement periods while active and while hibernating.
  static let activePeriod = Duration.milliseconds(250)
  static let hibernatingPeriod = Duration.seconds(45)
  /// Time from power-on to the first charge estimate.
  static let firstEstimate = Duration.seconds(1)
  /// Time for which the rate must be small before hibernation.
  static let calm = Duration.seconds(360)
  /// Maximum number of measurements of one advance; of a longer time only the newest are made.
  static let mostMeasurements: Int64 = 1 << 17

  /// The value of `VERSION`; a clone has a different one.
  public var version: UInt16 = 0x0012
  public let track: CellTrack

  var registers = MAX17048Words()
  private var now = Moment.zero
  private var powered = Moment.zero
  private var measured = Moment.zero
  /// Start of the time with a small rate.
  private var calmSince: Moment?
  /// The last measurement in V.
  private var voltage: Double?
  private var pointer: UInt8 = 0

  public init(track: CellTrack) { self.track = track }

  public mutating func powerUp(at moment: Moment) {
    registers = MAX17048Words()
    now = max(now, moment)
    (powered, measured, calmSince, voltage) = (now, now, nil, nil)
  }

  public mutating func advance(to moment: Moment) {
    guard moment > now else { return }
    now = moment
    let waiting = (moment - measured).wholeNanoseconds / Self.activePeriod.wholeNanoseconds
    if waiting > Self.mostMeasurements || moment - measured < .zero {
      measured = moment - Self.activePeriod * Int(Self.mostMeasurements)
    }
    while !registers.isAsleep, nextMeasurement <= moment, nextMeasurement > measured {
      measured = nextMeasurement
      measure()
    }
    // Measurements during sleep are not made up for.
    if registers.isAsleep { measured = moment }
  }

  /// True while ALRT is asserted (low).
  public var isInterruptRaised: Bool { registers.isAlerting }

  public var nextStep: Moment? { registers.isAlerting || registers.isAsleep ? nil : nextMeasurement }

  private var nextMeasurement: Moment {
    measured + (registers.isHibernating ? Self.hibernatingPeriod : Self.activePeriod)
  }

  private mutating func measure() {
    let cell = track.state(at: measured)
    let before = voltage
    voltage = cell.voltage
    if let before, before < registers.resetThreshold, cell.voltage > registers.resetThreshold {
      return resetByExchange()
    }
    registers.take(voltage: cell.voltage)
    if measured - powered >= Self.firstEstimate { registers.take(percent: cell.percent, rate: cell.rate) }
    hibernate(rate: cell.rate, step: abs(cell.voltage - (before ?? cell.voltage)))
  }

  private mutating func resetByExchange() {
    let reportsReset = registers.reportsReset
    (registers, voltage) = (MAX17048Words(), nil)
    (powered, calmSince) = (measured, nil)
    if reportsReset { registers.raise(.voltageReset) }
  }

  /// Applies `HIBRT`, with the step of the voltage as the measure of its distance from the open-circuit
  /// voltage: 0x0000 never, 0xFFFF always.
  private mutating func hibernate(rate: Double, step: Double) {
    let threshold = registers[.hibrt]
    if threshold == 0 || threshold == 0xFFFF {
      registers.isHibernating = threshold != 0
      return
    }
    let isCalm = abs(rate) < Double(threshold >> 8) * 0.208
    let isDisturbed = step > Double(threshold & 0xFF) * 0.00125
    guard isCalm, !isDisturbed else {
      (registers.isHibernating, calmSince) = (false, nil)
      return
    }
    let since = calmSince ?? measured
    calmSince = since
    if measured - since > Self.calm { registers.isHibernating = true }
  }
}

extension VirtualMAX17048 {
  /// Performs a transaction. The first byte written is the register address; a word is stored when both its bytes have
  /// arrived.
  public mutating func transfer(write: [UInt8], readCount: Int) -> [UInt8] {
    if let first = write.first { pointer = first }
    var remainder = write.dropFirst()
    while remainder.count >= 2 {
      let word = UInt16(remainder.removeFirst()) << 8 | UInt16(remainder.removeFirst())
      if pointer == MAX17048Words.command, word == MAX17048Words.reset {
        powerUp(at: now)
      } else {
        registers.write(word, to: pointer)
      }
      pointer &+= 2
    }
    return (0..<max(0, readCount)).map { _ in
      let number = pointer & 0xFE
      let word = number == MAX17048Words.Name.version.rawValue ? version : registers.read(number)
      defer { pointer &+= 1 }
      return UInt8(truncatingIfNeeded: pointer & 1 == 0 ? word >> 8 : word)
    }
  }
}
