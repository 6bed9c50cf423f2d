import Quantities

/// What a run of the logger has achieved, as far as an upgrade can change it.
public struct LoggerHealth: Equatable, Sendable {
  /// True if it stored a location.
  public var hasLocations: Bool
  /// True if a server accepted records.
  public var hasDelivered: Bool
  /// The reason why the log cannot be written; nil while it can.
  public var storageFault: String?
  /// The destination that fails, with the reason; nil if none does.
  public var deliveryFault: String?

  public init(
    hasLocations: Bool, hasDelivered: Bool, storageFault: String? = nil, deliveryFault: String? = nil
  ) {
    (self.hasLocations, self.hasDelivered) = (hasLocations, hasDelivered)
    (self.storageFault, self.deliveryFault) = (storageFault, deliveryFault)
  }
}

/// The trial of a new version after an upgrade: it must achieve what the previous one did.
public struct UpdateTrial: Equatable, Sendable {
  /// A judgement of the trial.
  public enum Verdict: Equatable, Sendable {
    case proven
    /// The trial continues, with what is missing.
    case waiting(String)
    /// The previous version must return, with the reason.
    case failed(String)
  }

  /// The earliest time of the proof: the logger has then delivered more than what it had queued.
  public static let least = Duration.seconds(600)

  /// The health of the version before; nil if it did not answer, so that nothing is expected of the new one.
  public var before: LoggerHealth?
  /// The longest time, counted while the device runs.
  public var limit: Duration

  public init(before: LoggerHealth?, limit: Duration) { (self.before, self.limit) = (before, limit) }

  /// Judges the new version by its present health; nil if it does not answer. `elapsed` is the time since the upgrade.
  public func verdict(_ now: LoggerHealth?, elapsed: Duration) -> Verdict {
    let missing = missing(now)
    if missing.isEmpty {
      return elapsed >= Self.least ? .proven : .waiting("proven as soon as it has run for 10 min")
    }
    let reason = missing.joined(separator: "; ")
    // Records in memory are lost with the next power cut.
    if let now, now.storageFault != nil, before?.storageFault == nil, elapsed >= Self.least {
      return .failed(reason)
    }
    return elapsed >= limit ? .failed(reason) : .waiting(reason)
  }

  /// What the previous version did and the present one does not.
  private func missing(_ now: LoggerHealth?) -> [String] {
    guard let now else { return before == nil ? [] : ["the logger does not answer"] }
    var missing: [String] = []
    if let fault = now.storageFault, before?.storageFault == nil {
      missing.append("the log cannot be written: \(fault)")
    }
    if !now.hasLocations, before?.hasLocations == true { missing.append("no location stored") }
    if !now.hasDelivered, before?.hasDelivered == true {
      missing.append("nothing delivered" + (now.deliveryFault.map { ": \($0)" } ?? ""))
    }
    return missing
  }
}
