import Quantities

// The other ends of a server's value, besides its trial: loss of permission, and the operator.
extension ServerChanges {
  /// Removes values that a server may no longer set. A trial ends with the previous value if that is still permitted.
  mutating func forgetWhatMayNotBeSet(now: Moment) -> [Action] {
    guard let say = rules.say else { return [] }
    var gone: [Forgotten: [ServerKey]] = [:]
    var isTouched = false
    for key in Set(values.keys).union(trials.keys).sorted() {
      let isBeforeSound = say.objection(to: key, by: trials[key]?.beforeBy) == nil
      if !isBeforeSound, trials[key]?.before != nil {
        trials[key]?.before = nil
        trials[key]?.beforeBy = nil
        isTouched = true
      }
      guard let objection = say.objection(to: key, by: setters[key]) else { continue }
      let forgotten = Forgotten(by: key.destination ?? setters[key] ?? "", reason: .mayNotSet(objection))
      gone[forgotten, default: []].append(key)
      let trial = trials.removeValue(forKey: key)
      failures[key] = nil
      (values[key], setters[key]) = (trial?.before, trial?.before == nil ? nil : trial?.beforeBy)
    }
    guard gone.isEmpty else { return told(gone, now: now) }
    guard isTouched else { return [] }
    lastRecord = now
    return [.keep]
  }

  mutating func unset(_ paths: Set<String>, now: Moment) -> [Action] {
    var gone: [Forgotten: [ServerKey]] = [:]
    for key in Set(values.keys).union(trials.keys).sorted() where paths.contains(key.path) {
      gone[Forgotten(by: key.destination ?? setters[key] ?? "", reason: .unset), default: []].append(key)
      (values[key], setters[key], trials[key]) = (nil, nil, nil)
    }
    for changer in waiting.keys where paths.contains(changer.key.path) { waiting[changer] = nil }
    let failed = failures.keys.filter { paths.contains($0.path) }
    for key in failed { failures[key] = nil }
    guard gone.isEmpty else { return told(gone, now: now) }
    return failed.isEmpty ? [] : [.keep]
  }

  private struct Forgotten: Hashable {
    var by: String
    var reason: Reason
  }

  private mutating func told(_ gone: [Forgotten: [ServerKey]], now: Moment) -> [Action] {
    if trials.isEmpty { lastCheckIn = nil }
    lastRecord = now
    let rows = gone.sorted {
      ($0.key.by, $0.value.first?.path ?? "") < ($1.key.by, $1.value.first?.path ?? "")
    }
    return rows.map { .wentBack($0.value, by: $0.key.by, $0.key.reason) } + [.changed, .keep]
  }
}
