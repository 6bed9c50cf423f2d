import Quantities

// The other ends of a server's value, besides its trial: loss of permission, and the operator.
extension ServerChanges {
  /// Removes values that a server may no longer set. A trial ends with the previous value if that is still permitted.
  mutating func removeForbiddenValues(now: Moment) -> [Action] {
    guard let permissions = rules.permissions else { return [] }
    var gone: [Rollback: [ServerKey]] = [:]
    var isChanged = false
    for key in Set(values.keys).union(trials.keys).sorted() {
      let isPreviousValuePermitted = permissions.objection(to: key, by: trials[key]?.beforeBy) == nil
      if !isPreviousValuePermitted, trials[key]?.before != nil {
        trials[key]?.before = nil
        trials[key]?.beforeBy = nil
        isChanged = true
      }
      guard let objection = permissions.objection(to: key, by: setters[key]) else { continue }
      let rollback = Rollback(by: key.destination ?? setters[key] ?? "", reason: .mayNotSet(objection))
      gone[rollback, default: []].append(key)
      let trial = trials.removeValue(forKey: key)
      failures[key] = nil
      (values[key], setters[key]) = (trial?.before, trial?.before == nil ? nil : trial?.beforeBy)
    }
    guard gone.isEmpty else { return reportRollbacks(gone, now: now) }
    guard isChanged else { return [] }
    lastRecord = now
    return [.keep]
  }

  mutating func unset(_ paths: Set<String>, now: Moment) -> [Action] {
    var gone: [Rollback: [ServerKey]] = [:]
    for key in Set(values.keys).union(trials.keys).sorted() where paths.contains(key.path) {
      gone[Rollback(by: key.destination ?? setters[key] ?? "", reason: .unset), default: []].append(key)
      (values[key], setters[key], trials[key]) = (nil, nil, nil)
    }
    for changer in waiting.keys where paths.contains(changer.key.path) { waiting[changer] = nil }
    let failed = failures.keys.filter { paths.contains($0.path) }
    for key in failed { failures[key] = nil }
    guard gone.isEmpty else { return reportRollbacks(gone, now: now) }
    return failed.isEmpty ? [] : [.keep]
  }

  private struct Rollback: Hashable {
    var by: String
    var reason: Reason
  }

  private mutating func reportRollbacks(_ gone: [Rollback: [ServerKey]], now: Moment) -> [Action] {
    if trials.isEmpty { lastCheckIn = nil }
    lastRecord = now
    let rows = gone.sorted {
      ($0.key.by, $0.value.first?.path ?? "") < ($1.key.by, $1.value.first?.path ?? "")
    }
    return rows.map { .rolledBack($0.value, by: $0.key.by, $0.key.reason) } + [.changed, .keep]
  }
}
