import Chips
import Devices
import Records

extension EventRecord {
  /// The event of a notice of the accelerometer; nil for normal operation.
  init?(_ notice: AccelerometerNotice, of part: PartLocation) {
    let location = EventValue.text(part.words)
    func doubtful(_ cause: EventValue, _ evidence: EventFields = [:]) -> EventRecord {
      EventRecord(.accelerometerDoubtful, evidence.merging([.part: location, .cause: cause]))
    }
    switch notice {
    case .burst, .moved, .sampling: return nil
    case .lost(let error): self.init(.accelerometerLost, [.part: location, .reason: .text(error.words)])
    case .returned(let after):
      self.init(.accelerometerReturned, [.part: location, .duration: .seconds(after)])
    case .overrun(let missing): self = doubtful("overrun", [.count: .integer(Int64(missing))])
    case .doubtful(let samples): self = doubtful("invalid_samples", [.count: .integer(Int64(samples))])
    case .lineUnusable(.gone): self = doubtful("interrupt_gone")
    case .lineUnusable(.silent): self = doubtful("interrupt_silent")
    case .lineUnusable(.noisy): self = doubtful("interrupt_noisy")
    case .selfTestFailed(let change, let limits):
      let expected = [limits.x, limits.y, limits.z].map {
        "\(Self.rounded($0.lowerBound)) to \(Self.rounded($0.upperBound))"
      }
      self = doubtful(
        "self_test_failed",
        [
          .x: .thousandths(Double(change.x)), .y: .thousandths(Double(change.y)),
          .z: .thousandths(Double(change.z)), .limit: .text(expected.joined(separator: ", ")),
        ])
    }
  }

  private static func rounded(_ value: Float) -> String { "\((value * 1000).rounded() / 1000)" }
}
