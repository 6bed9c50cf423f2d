import Chips
import Devices
import LocalAPI
import Quantities

extension StatusReport.Battery {
  /// The battery by the readings of a gauge.
  init(_ snapshot: GaugeSource.Snapshot, of location: PartLocation, now: Moment) {
    self.init()
    let condition = snapshot.condition
    state = condition.state == .unknown ? nil : "\(condition.state.word)"
    percent = condition.percent.map(Self.tenths)
    // A doubt requires a reading.
    percent_doubt = snapshot.lastReading == nil ? nil : condition.doubt.map(Self.words)
    voltage_V = condition.voltage.map { ($0 * 1000).rounded() / 1000 }
    current_mA = condition.current.map { Self.tenths($0.milliamperes) }
    current_source = condition.current.map { Self.word($0.source) }
    rate_percent_h = condition.rate.map(Self.tenths)
    temperature_C = condition.temperature.map(Self.tenths)
    temperature_of = condition.temperatureSource.map(Self.word)
    age_s = snapshot.lastReading.map { (now - $0).inSeconds }
    gauge = StatusReport.Gauge(
      name: location.name, path: location.path, address: location.address.map { "\($0)" },
      trouble: snapshot.loss)
  }

  private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

  private static func word(_ source: BatteryCurrent.Source) -> String {
    switch source {
    case .measured: "measured"
    case .estimated: "modelled"
    }
  }

  private static func word(_ source: GaugeReading.TemperatureSource) -> String {
    switch source {
    case .battery: "battery"
    case .die: "die"
    }
  }

  private static func words(_ doubt: ChargeDoubt) -> String {
    switch doubt {
    case .notReported: "the gauge reports no charge"
    case .outOfRange: "the reported charge is not between 0 and 100 %"
    case .contradictsVoltage: "the reported charge does not match the voltage"
    case .jumped: "the reported charge jumped; the last value is used until it is confirmed"
    case .unsteady: "the reported charge jumps repeatedly"
    case .silent: "no reading for too long"
    }
  }
}
