import Chips
import Devices
import Quantities
import Records

extension EventRecord {
  /// The event of what happened to the gauge or the battery.
  init(_ notice: GaugeSource.Notice, of gauge: PartPlace) {
    let place = gauge.words
    switch notice {
    case .lost(let reason):
      self.init(
        .gaugeLost,
        detail:
          "\(place): \(reason); it is looked for all the time, and the last charge stands until it is too old"
      )
    case .returned(let after):
      let seconds = after.wholeSeconds
      self.init(.gaugeReturned, detail: "\(place): answers again after \(seconds) s", value: seconds)
    case .battery(let event): self.init(event, place: place)
    }
  }

  private init(_ event: BatteryEvent, place: String) {
    switch event {
    case .chargerAttached: self.init(.chargerAttached)
    case .chargerRemoved: self.init(.chargerRemoved)
    case .full(let percent):
      self.init(
        .batteryFull, detail: percent.map { "\(Int($0.rounded())) %" } ?? "",
        value: percent.flatMap { Int64(exactly: $0.rounded()) })
    case .supply(let side, let voltage):
      let kind: EventKind
      let words: String
      switch side {
      case .under: (kind, words) = (.supplyUnder, "less than power.under_V")
      case .over: (kind, words) = (.supplyOver, "more than power.over_V")
      case .within: (kind, words) = (.supplyInRange, "as it is to be")
      }
      self.init(
        kind, detail: "\(place): \((voltage * 100).rounded() / 100) V, \(words)",
        value: Int64(exactly: (voltage * 1000).rounded()))
    case .low(let percent, let voltage):
      let words = [
        percent.map { "\(Int($0.rounded())) %" }, voltage.map { "\(($0 * 100).rounded() / 100) V" },
      ]
      let value = percent.flatMap { Int64(exactly: $0.rounded()) }
      self.init(.batteryLow, detail: words.compactMap { $0 }.joined(separator: ", "), value: value)
    case .gaugeContradictsItself(let percent, let voltage):
      self.init(
        .gaugeDoubtful,
        detail:
          "\(place): \((percent * 10).rounded() / 10) % do not go with \((voltage * 100).rounded() / 100) V a cell; "
          + "the charge is unknown until they do")
    case .voltageDoesNotFit(let voltage, let cells):
      let count = cells == 1 ? "one cell" : "\(cells) cells in series"
      self.init(
        .gaugeDoubtful,
        detail:
          "\(place): \((voltage * 100).rounded() / 100) V is no voltage of \(count); gauge.cells says how many"
      )
    case .gaugeWasReset:
      self.init(.gaugeDoubtful, detail: "\(place): was without supply and learns the battery anew")
    case .gaugeFellSilent: self.init(.gaugeDoubtful, detail: "\(place): no reading for too long")
    case .gaugeIsBack: self.init(.gaugeReturned, detail: "\(place): gives readings again")
    }
  }
}
