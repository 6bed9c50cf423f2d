import Chips
import Devices
import Quantities
import Records

extension EventRecord {
  /// The event of a notice of the gauge or the battery.
  init(_ notice: GaugeSource.Notice, of gauge: PartLocation) {
    let location = EventValue.text(gauge.words)
    switch notice {
    case .lost(let reason): self.init(.gaugeLost, [.part: location, .reason: .text(reason)])
    case .returned(let after): self.init(.gaugeReturned, [.part: location, .duration: .seconds(after)])
    case .battery(let event): self.init(event, location: location)
    }
  }

  private init(_ event: BatteryEvent, location: EventValue) {
    switch event {
    case .chargerAttached: self.init(.chargerAttached)
    case .chargerRemoved: self.init(.chargerRemoved)
    case .full(let percent): self.init(.batteryFull, [.percent: percent.flatMap(EventValue.whole)])
    case .supply(let side, let voltage):
      let kind: EventKind =
        switch side {
        case .under: .supplyUnder
        case .over: .supplyOver
        case .within: .supplyInRange
        }
      self.init(kind, [.part: location, .voltage: .thousandths(voltage)])
    case .low(let percent, let voltage):
      self.init(
        .batteryLow,
        [.percent: percent.flatMap(EventValue.whole), .voltage: voltage.flatMap(EventValue.thousandths)])
    case .gaugeContradictsItself(let percent, let voltage):
      self.init(
        .gaugeDoubtful,
        [
          .part: location, .cause: "charge_contradicts_voltage",
          .percent: .decimal((percent * 10).rounded() / 10),
          .voltage: .thousandths(voltage),
        ])
    case .voltageDoesNotFit(let voltage, let cells):
      self.init(
        .gaugeDoubtful,
        [
          .part: location, .cause: "implausible_voltage", .voltage: .thousandths(voltage),
          .cells: .integer(Int64(cells)),
        ])
    case .gaugeWasReset: self.init(.gaugeDoubtful, [.part: location, .cause: "reset"])
    case .gaugeFellSilent: self.init(.gaugeDoubtful, [.part: location, .cause: "no_reading"])
    case .gaugeIsBack: self.init(.gaugeReturned, [.part: location])
    }
  }
}
