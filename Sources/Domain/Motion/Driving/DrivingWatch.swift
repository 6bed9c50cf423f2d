import Quantities

/// Detects harsh acceleration, braking and cornering by a device that is fixed in a vehicle.
///
/// It requires a calibrated mount and reports nothing while the vehicle is not driving. The average over half a second
/// keeps manoeuvres and suppresses potholes. Accelerations that last for minutes, such as a slope or a drifted offset,
/// are subtracted.
struct DrivingWatch: Sendable {
  /// Standard gravity in m/s².
  static let gravity: Float = 9.806_65
  /// The length of the average in grid steps.
  static let span = GridStream.rate / 2
  /// The time constant of the baseline in grid steps.
  static let timeConstant: Float = 25 * 30
  /// The horizontal acceleration in g up to which it is a slope and not a manoeuvre.
  static let slope: Float = 0.12
  /// The maximum number of events that wait to be fetched.
  static let most = 8

  private var ring = [SIMD3<Float>](repeating: .zero, count: span)
  private var sum = SIMD3<Float>.zero
  private var head = 0
  private var known = 0
  /// The acceleration without a manoeuvre, in g: forward, left and up.
  private var baseline = SIMD3<Float>.zero
  private var watches: [HarshnessWatch] = [HarshnessWatch](
    repeating: HarshnessWatch(), count: DrivingEvent.Kind.allCases.count)
  private(set) var events: [DrivingEvent] = []

  var thresholds = DrivingThresholds()

  /// Discards the window because samples are missing.
  mutating func breakOff() {
    (sum, head, known) = (.zero, 0, 0)
    for index in watches.indices { watches[index] = HarshnessWatch() }
  }

  /// Returns and removes the events since the last call.
  mutating func fetch() -> [DrivingEvent] {
    defer { events = [] }
    return events
  }

  /// Processes a sample of the grid. `stationary` is the length of gravity as the accelerometer measures it, in g.
  mutating func take(_ sample: GridStream.Sample, mount: Mount, stationary: Float, isDriving: Bool) {
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
    // Rounding errors accumulate in a running sum: it is recomputed whenever the ring is full.
    if head == 0 { sum = ring.reduce(.zero, +) }
    let lift = (sum / Float(Self.span) * up).sum() - stationary
    let manoeuvre = SIMD3(pushed.forward, pushed.left, lift) - baseline
    let across = (manoeuvre.x * manoeuvre.x + manoeuvre.y * manoeuvre.y).squareRoot()
    if across < Self.slope { baseline += manoeuvre / Self.timeConstant }
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
