import Quantities

extension ServerChanges {
  public mutating func handle(_ event: Event, now: Moment) -> [Action] {
    switch event {
    case .wished(let wishes, let by, let afterRecord):
      return take(wishes, by: by, afterRecord: afterRecord, now: now)
    case .answered(let by, let newestLocation): return noteAnswer(by: by, newest: newestLocation, now: now)
    case .rules(let rules):
      self.rules = rules
      return []
    case .stopping:
      guard !trials.isEmpty || !rules.silenced.isEmpty else { return [] }
      forgetBriefStarts()
      lastRecord = now
      return [.keep]
    }
  }

  public mutating func handleTimeout(now: Moment) -> [Action] {
    let overdue = trials.filter { $0.value.since + rules.maxSilence <= now }.keys
    let back = goBack(overdue, .notProved)
    let crashing = trials.filter { $0.value.briefStarts >= Self.mostBriefStarts }.keys
    let gone = back + goBack(crashing, .crashes)
    guard gone.isEmpty else {
      if trials.isEmpty { lastCheckIn = nil }
      lastRecord = now
      return gone + [.changed, .keep]
    }
    var actions: [Action] = []
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
    _ wishes: [ServerKey: String], by: String, afterRecord: Int64, now: Moment
  ) -> [Action] {
    var began: [ServerKey] = []
    var refused: [ServerKey] = []
    for (key, value) in wishes.sorted(by: { $0.key < $1.key }) where values[key] != value {
      if let failure = failures[key], failure.value == value, failure.count >= Self.mostFailures {
        refused.append(key)
      } else {
        began.append(key)
      }
    }
    let actions: [Action] = refused.isEmpty ? [] : [.refused(refused)]
    guard !began.isEmpty else { return actions }
    for key in began {
      let before = trials[key].map(\.before) ?? values[key]
      values[key] = wishes[key]
      // What is as it was before needs no proof. What is on trial already gets no more time by another value.
      trials[key] =
        before == values[key]
        ? nil
        : Trial(since: trials[key]?.since ?? now, by: by, afterRecord: afterRecord, before: before)
    }
    if trials.isEmpty { lastCheckIn = nil }
    lastRecord = now
    return actions + [.began(began), .changed, .keep]
  }

  private mutating func noteAnswer(by: String, newest: Int64?, now: Moment) -> [Action] {
    contacts[by] = now
    let isWatched = rules.silenced.contains(by)
    let proved = trials.filter { key, trial in
      trial.by == by && newest.map { $0 > trial.afterRecord } ?? false
    }.keys.sorted()
    for key in proved { (trials[key], failures[key]) = (nil, nil) }
    // A trial that this answer does not prove has its next check-in when it is due, not at once.
    var wasWaiting = false
    if trials.isEmpty, isWatched || !proved.isEmpty {
      wasWaiting = lastCheckIn != nil
      lastCheckIn = nil
    }
    guard proved.isEmpty else {
      lastRecord = now
      return [.proved(proved), .keep]
    }
    // How long a silenced box was out of reach has to be known after a restart, but not to the minute.
    guard isWatched, wasWaiting || now - lastRecord >= rules.maxSilence / 8 else { return [] }
    lastRecord = now
    return [.keep]
  }

  private mutating func goBack(_ keys: some Sequence<ServerKey>, _ reason: Reason) -> [Action] {
    var gone: [String: [ServerKey]] = [:]
    for key in keys.sorted() {
      guard let trial = trials.removeValue(forKey: key) else { continue }
      if let value = values[key] {
        let count = failures[key].flatMap { $0.value == value ? $0.count : nil } ?? 0
        failures[key] = Failure(value: value, count: min(count, Int.max - 1) + 1)
      }
      values[key] = trial.before
      gone[trial.by, default: []].append(key)
    }
    return gone.sorted { $0.key < $1.key }.map { .wentBack($0.value, by: $0.key, reason) }
  }
}
