import Quantities

extension ServerChanges {
  public mutating func handle(_ event: Event, now: Moment) -> [Action] {
    switch event {
    case .requested(let requested, let by, let afterRecord):
      return take(requested, by: by, afterRecord: afterRecord, now: now)
    case .answered(let by, let newestLocation, let unproven):
      return handleAcknowledgement(by: by, newest: newestLocation, inSpiteOf: unproven, now: now)
    case .rules(let rules):
      self.rules = rules
      return removeForbiddenValues(now: now)
    case .unset(let paths): return unset(paths, now: now)
    case .stopping:
      guard !trials.isEmpty || !rules.silenced.isEmpty || !waiting.isEmpty else { return [] }
      forgetBriefStarts()
      lastRecord = now
      return [.keep]
    }
  }

  public mutating func handleTimeout(now: Moment) -> [Action] {
    let overdue = trials.filter { $0.value.since + rules.maxSilence <= now }.keys
    let back = rollBack(overdue, .unproven)
    let crashing = trials.filter { $0.value.briefStarts >= Self.mostBriefStarts }.keys
    let gone = back + rollBack(crashing, .crashes)
    guard gone.isEmpty else {
      if trials.isEmpty { lastCheckIn = nil }
      lastRecord = now
      return gone + [.changed, .keep]
    }
    var actions = takeDue(now: now)
    if let nextCheckIn, nextCheckIn <= now {
      lastCheckIn = now
      actions.append(.checkIn(Set(trials.values.map(\.by)).union(rules.silenced).sorted()))
    }
    if let nextRecord, nextRecord <= now {
      if begin + Self.lastingStart <= now {
        isLasting = true
        forgetBriefStarts()
      }
      lastRecord = now
      actions.append(.keep)
    }
    return actions
  }

  private mutating func forgetBriefStarts() {
    for key in trials.keys { trials[key]?.briefStarts = 0 }
  }

  private mutating func take(
    _ requested: [ServerKey: String], by: String, afterRecord: Int64, now: Moment
  ) -> [Action] {
    var began: [ServerKey] = []
    var refused: [ServerKey] = []
    var outranked: [Outranked] = []
    var waiting: [ServerKey] = []
    var hasNewSetter = false
    for (key, value) in requested.sorted(by: { $0.key < $1.key }) {
      let present = values[key]
      // The newest value replaces one that is postponed.
      self.waiting[Changer(key: key, destination: by)] = nil
      if let failure = failures[key], failure.value != value, failure.by ?? by == by {
        failures[key]?.mayBeRetried = true
      }
      if present == value {
        hasNewSetter = assignSetter(key, by: by) || hasNewSetter
      } else if let present, let setter = setters[key], rules.permissions?.ranks(setter, before: by) ?? false
      {
        outranked.append(Outranked(key: key, value: value, present: present, setter: setter))
      } else if let failure = failures[key], failure.value == value,
        !failure.mayBeRetried || failure.count >= Self.mostFailures
      {
        refused.append(key)
      } else if !mayChange(key, by: by, now: now) {
        waiting.append(key)
        self.waiting[Changer(key: key, destination: by)] = value
      } else {
        began.append(key)
      }
    }
    var actions: [Action] = refused.isEmpty ? [] : [.refused(refused)]
    if !outranked.isEmpty { actions.append(.outranked(outranked)) }
    actions += reportPostponed(waiting, by: by)
    guard !began.isEmpty else {
      guard hasNewSetter else { return actions }
      lastRecord = now
      return actions + [.keep]
    }
    for key in began {
      recordChange(of: key, by: by, now: now)
      if failures[key]?.value == requested[key] { failures[key]?.mayBeRetried = false }
      let before = trials[key].map(\.before) ?? values[key]
      let beforeBy = trials[key].map(\.beforeBy) ?? setters[key]
      (values[key], setters[key]) = (requested[key], by)
      // A value equal to the previous one needs no proof. Another value does not extend a trial in progress.
      trials[key] =
        before == values[key]
        ? nil
        : Trial(
          since: trials[key]?.since ?? now, by: by, afterRecord: afterRecord, before: before,
          beforeBy: beforeBy)
    }
    if trials.isEmpty { lastCheckIn = nil }
    lastRecord = now
    return actions + [.began(began), .changed, .keep]
  }

  /// Assigns a value in force to the server if its setter is unknown or follows the server in the file.
  private mutating func assignSetter(_ key: ServerKey, by: String) -> Bool {
    if let setter = setters[key] {
      guard rules.permissions?.ranks(by, before: setter) ?? false else { return false }
    }
    setters[key] = by
    trials[key]?.by = by
    return true
  }

  private mutating func handleAcknowledgement(
    by: String, newest: Int64?, inSpiteOf unproven: Set<String>, now: Moment
  ) -> [Action] {
    contacts[by] = now
    let isWatched = rules.silenced.contains(by)
    let proven = trials.filter { key, trial in
      trial.by == by && !unproven.contains(key.path) && newest.map { $0 > trial.afterRecord } ?? false
    }.keys.sorted()
    for key in proven { (trials[key], failures[key]) = (nil, nil) }
    // A trial that this response does not prove has its next check-in when it is due, not immediately.
    var wasWaiting = false
    if trials.isEmpty, isWatched || !proven.isEmpty {
      wasWaiting = lastCheckIn != nil
      lastCheckIn = nil
    }
    guard proven.isEmpty else {
      lastRecord = now
      return [.proven(proven), .keep]
    }
    // The time out of reach must be known after a restart, but not to the minute.
    guard isWatched, wasWaiting || now - lastRecord >= rules.maxSilence / 8 else { return [] }
    lastRecord = now
    return [.keep]
  }

  private mutating func rollBack(_ keys: some Sequence<ServerKey>, _ reason: Reason) -> [Action] {
    var gone: [String: [ServerKey]] = [:]
    for key in keys.sorted() {
      guard let trial = trials.removeValue(forKey: key) else { continue }
      if let value = values[key] {
        let count = failures[key].flatMap { $0.value == value ? $0.count : nil } ?? 0
        failures[key] = Failure(value: value, count: min(count, Int.max - 1) + 1, by: trial.by)
      }
      (values[key], setters[key]) = (trial.before, trial.before == nil ? nil : trial.beforeBy)
      gone[trial.by, default: []].append(key)
    }
    return gone.sorted { $0.key < $1.key }.map { .rolledBack($0.value, by: $0.key, reason) }
  }
}
