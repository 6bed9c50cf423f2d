import Quantities

/// Finds harsh accelerating, braking and cornering in the samples of a device that sits fixed in a vehicle.
///
/// It says nothing until the mount has shown where forward is, and nothing while the vehicle does not drive. Half a
/// second is averaged, which leaves a manoeuvre and takes away a pothole; what lasts for minutes (a slope, an offset that
/// has drifted) is taken off.
struct DrivingWatch: Sendable {
  static let gravity: Float = 9.806_65
  /// Steps of the grid that are averaged.
  static let span = GridStream.rate / 2
  /// Steps of the grid in which a slope is learnt.
  static let patience: Float = 25 * 30
  /// g of both directions together up to which it is a slope and no manoeuvre.
  static let slope: Float = 0.12
  /// Events that wait to be fetched; more are not made in a burst.
  static let most = 8

  private var ring = [SIMD3<Float>](repeating: .zero, count: span)
  private var sum = SIMD3<Float>.zero
  private var head = 0
  private var known = 0
  /// g forward, to the left and up, that are there without a manoeuvre.
  private var baseline = SIMD3<Float>.zero
  private var watches: [HarshnessWatch] = [HarshnessWatch](
    repeating: HarshnessWatch(), count: DrivingEvent.Kind.allCases.count)
  private(set) var events: [DrivingEvent] = []

  var thresholds = DrivingThresholds()

  /// Samples are missing; what was is not continued.
  mutating func breakOff() {
    (sum, head, known) = (.zero, 0, 0)
    for index in watches.indices { watches[index] = HarshnessWatch() }
  }

  /// Hands over what was found since the last call.
  mutating func fetch() -> [DrivingEvent] {
    defer { events = [] }
    return events
  }

  /// A sample of the grid in g. `rest` is the length of gravity as the part sees it.
  mutating func take(_ sample: GridStream.Sample, mount: Mount, rest: Float, isDriving: Bool) {
    guard case .calibrated(let up, _) = mount else {
      baseline = .zero
      if known > 0 { breakOff() }
      return
    }
    guard isDriving else {
      if known > 0 { breakOff() }
      return
    }
    let oldest = known == Self.span ? ring[head] : .zero
    sum += sample.acceleration - oldest
    ring[head] = sample.acceleration
    head = (head + 1) % Self.span
    known = min(known + 1, Self.span)
    guard known == Self.span, let pushed = mount.resolve(sum / Float(Self.span)) else { return }
    // Rounding piles up in a running sum, so it is made anew each time that the ring is full.
    if head == 0 { sum = ring.reduce(.zero, +) }
    let lift = (sum / Float(Self.span) * up).sum() - rest
    let manoeuvre = SIMD3(pushed.forward, pushed.left, lift) - baseline
    let across = (manoeuvre.x * manoeuvre.x + manoeuvre.y * manoeuvre.y).squareRoot()
    if across < Self.slope { baseline += manoeuvre / Self.patience }
    for (index, kind) in DrivingEvent.Kind.allCases.enumerated() {
      guard let threshold = threshold(kind) else { continue }
      let found = watches[index].take(
        push: Self.gravity * Self.part(of: manoeuvre, kind), threshold: threshold, across: across,
        up: manoeuvre.z, at: sample.index &- Int64(Self.span / 2))
      guard let found, events.count < Self.most else { continue }
      events.append(
        DrivingEvent(
          kind: kind, start: Moment(nanoseconds: found.start &* GridStream.step),
          duration: .nanoseconds(Int64(found.samples) &* GridStream.step), peak: found.peak))
    }
  }

  private static func part(of manoeuvre: SIMD3<Float>, _ kind: DrivingEvent.Kind) -> Float {
    switch kind {
    case .acceleration: manoeuvre.x
    case .braking: -manoeuvre.x
    case .corneringLeft: manoeuvre.y
    case .corneringRight: -manoeuvre.y
    }
  }

  private func threshold(_ kind: DrivingEvent.Kind) -> Float? {
    switch kind {
    case .acceleration: thresholds.acceleration
    case .braking: thresholds.braking
    case .corneringLeft, .corneringRight: thresholds.cornering
    }
  }
}
