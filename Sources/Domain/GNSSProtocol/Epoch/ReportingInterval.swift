/// The time between two epochs, learned from their times.
struct ReportingInterval {
  /// The interval in milliseconds; nil until two epochs were received.
  private(set) var milliseconds: Int32?
  private var last: Int32?
  private var candidate: Int32?

  mutating func record(_ time: Int32) {
    defer { last = time }
    guard let last else { return }
    let step = time - last
    guard (10...60_000).contains(step) else { return }
    // One long step may be a lost epoch; two equal ones are a new rate.
    if step <= milliseconds ?? step || step == candidate { milliseconds = step }
    candidate = step
  }

  /// Silence that ends an epoch: a third of the interval, limited to 100...300 ms.
  var silence: Duration {
    guard let milliseconds else { return .milliseconds(300) }
    return .milliseconds(min(max(milliseconds / 3, 100), 300))
  }
}
