import Chips
import Devices
import LocalAPI

extension StatusReport.Accelerometer {
  init(_ reader: AccelerometerReader, at location: PartLocation) {
    self.init(
      name: location.name, path: location.path, address: "\(reader.address)",
      trouble: reader.loss.map(\.failure.words), hasLine: reader.hasLine)
    does = reader.activity?.rawValue
    if let sampling = reader.sampling {
      rate_hz = ((reader.rate ?? sampling.rate) * 100).rounded() / 100
      range_g = sampling.range
      resolution_g = (sampling.resolution * 1e6).rounded() / 1e6
    }
    self_test = reader.selfTest.map(Self.text)
    overruns = reader.losses.overruns
    missing_samples = reader.losses.missing
    doubtful_samples = reader.losses.doubtful
    temperature_C = reader.dieTemperature.map { ($0 * 10).rounded() / 10 }
  }

  private static func text(_ test: AccelerometerReader.SelfTest) -> String {
    switch test {
    case .passed: "passed"
    case .failed: "failed"
    case .notBuiltIn: "none"
    }
  }
}
