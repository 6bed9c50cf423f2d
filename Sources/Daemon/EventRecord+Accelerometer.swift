import Chips
import Devices
import Records

extension EventRecord {
  /// The event of what happened to the accelerometer; nil for what it is there for.
  init?(_ notice: AccelerometerNotice, of part: PartPlace) {
    let place = part.words
    switch notice {
    case .burst, .moved, .sampling: return nil
    case .lost(let error):
      self.init(
        .accelerometerLost,
        detail: "\(place): \(error.words); movement is not felt, and the part is looked for all the time")
    case .returned(let after):
      let seconds = after.wholeSeconds
      self.init(.accelerometerReturned, detail: "\(place): answers again after \(seconds) s", value: seconds)
    case .overrun(let missing):
      self.init(
        .accelerometerDoubtful, detail: "\(place): \(missing) samples were read too late and are missing",
        value: Int64(missing))
    case .doubtful(let samples):
      self.init(
        .accelerometerDoubtful,
        detail:
          "\(place): \(samples) samples were thrown away, for it cannot have measured them (a disturbed bus?)",
        value: Int64(samples))
    case .lineUnusable(.gone):
      self.init(
        .accelerometerDoubtful,
        detail:
          "\(place): the GPIO chip of accelerometer.interrupt is gone; the part is polled until the next start"
      )
    case .lineUnusable(.silent):
      self.init(
        .accelerometerDoubtful,
        detail:
          "\(place): it moved and accelerometer.interrupt did not rise; the part is polled (is the line wired?)"
      )
    case .lineUnusable(.noisy):
      self.init(
        .accelerometerDoubtful,
        detail:
          "\(place): accelerometer.interrupt rises without movement; the part is polled (is the line wired?)")
    case .selfTestFailed(let change, let limits):
      let got = [change.x, change.y, change.z].map(Self.rounded).joined(separator: ", ")
      let wanted = [limits.x, limits.y, limits.z].map {
        "\(Self.rounded($0.lowerBound)) to \(Self.rounded($0.upperBound))"
      }
      self.init(
        .accelerometerDoubtful,
        detail:
          "\(place): self-test gives \(got) g, expected \(wanted.joined(separator: ", ")); it is used all the same"
      )
    }
  }

  private static func rounded(_ value: Float) -> String { "\((value * 1000).rounded() / 1000)" }
}
