import Quantities

/// The trial of a new version after an upgrade: it must achieve what the previous one did.
public struct UpdateTrial: Equatable, Sendable {
  /// A judgement of the trial.
  public enum Verdict: Equatable, Sendable {
    case proven
    /// The trial continues, with what is missing.
    case waiting(String)
    /// The previous version must return, with the reason.
    case failed(String)
    /// The log cannot be written, so records wait in memory. The previous version must return if this lasts.
    case unwritable(String)
  }

  /// Something that the previous version did and the present one does not.
  private struct Shortfall {
    var text: String
    /// True if the surroundings explain it: no reception, no network, or one of several servers.
    var isExcused = false
  }

  /// The earliest time of the proof: the logger has then delivered more than what it had queued.
  public static let least = Duration.seconds(600)
  /// The factor of the limit while the surroundings explain what is missing.
  public static let excusedLimitFactor = 7.0

  /// The health of the version before; nil if it did not respond, so that only a response is expected of the new one.
  public var before: LoggerHealth?
  /// The longest time, counted while the device runs.
  public var limit: Duration

  /// Creates a trial that lasts for `limit`, and for two intervals of a device that sends rarely.
  public init(before: LoggerHealth?, limit: Duration, sendInterval: Duration? = nil) {
    self.before = before
    self.limit = max(limit, (sendInterval ?? .zero) * 2)
  }

  /// Judges the new version by its present health; nil if it does not respond. `elapsed` is the time since the upgrade.
  public func verdict(_ now: LoggerHealth?, elapsed: Duration) -> Verdict {
    let missing = missing(now)
    if missing.isEmpty {
      return elapsed >= Self.least ? .proven : .waiting("proven as soon as it has run for 10 min")
    }
    let reason = missing.map(\.text).joined(separator: "; ")
    if let now, now.storageFault != nil, before?.storageFault == nil { return .unwritable(reason) }
    let end = missing.allSatisfy(\.isExcused) ? limit * Self.excusedLimitFactor : limit
    return elapsed >= end ? .failed(reason) : .waiting(reason)
  }

  private func missing(_ now: LoggerHealth?) -> [Shortfall] {
    guard let now else { return [Shortfall(text: "the logger does not respond")] }
    var missing: [Shortfall] = []
    if let fault = now.storageFault, before?.storageFault == nil {
      missing.append(Shortfall(text: "the log cannot be written: \(fault)"))
    }
    let lacksLocation = !now.hasLocations && before?.hasLocations == true
    if lacksLocation {
      let cause = now.noLocationCause
      missing.append(
        Shortfall(text: "no location stored" + (cause.map { ": \($0)" } ?? ""), isExcused: cause != nil))
    }
    let hasNothingToSend = lacksLocation && now.noLocationCause != nil
    return missing + missingDeliveries(now, isExcused: now.isOffline || hasNothingToSend)
  }

  /// The servers that accepted records of the previous version and none of the present one.
  private func missingDeliveries(_ now: LoggerHealth, isExcused: Bool) -> [Shortfall] {
    guard let before else { return [] }
    // A log that was replaced counts from 1.
    let newest = now.lastID < before.lastID ? 0 : before.lastID
    let expected = now.servers.filter { before.servers[$0.key]?.works == true }
    let lacking = expected.filter { $0.value.acknowledgedID <= newest }
    return lacking.sorted { $0.key < $1.key }.map { name, delivery in
      // One that still receives the queue has not got to the new records.
      Shortfall(
        text: "nothing delivered to \(name)" + (delivery.fault.map { ": \($0)" } ?? ""),
        isExcused: isExcused || delivery.works || lacking.count < expected.count)
    }
  }
}
