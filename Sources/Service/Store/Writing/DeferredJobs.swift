/// The jobs that failed, in the order in which they are tried again: those that change the log, and those for which a
/// caller waits. Owned by ``LogWriter``.
struct DeferredJobs {
  /// The number of jobs above which only dates, saved states and registrations are added.
  private static let limit = 4096

  private var jobs: [StoreJob] = []

  var isEmpty: Bool { jobs.isEmpty }

  /// Adds a job. Jobs that callers repeat are dropped; of two texts under one key, and of two registrations, only the last
  /// one counts.
  mutating func add(_ job: StoreJob) {
    switch job {
    case .date: jobs.append(job)
    case .saveState(let key, _):
      jobs.removeAll { if case .saveState(key, _) = $0 { true } else { false } }
      jobs.append(job)
    case .register:
      jobs.removeAll { if case .register = $0 { true } else { false } }
      jobs.append(job)
    case .batch, .commitBatchBoundary, .acknowledge, .drop, .rewind, .newestLocation:
      if jobs.count < Self.limit { jobs.append(job) }
    case .append, .saveStateWithRecords, .settings, .token, .configure, .write, .checkStep, .examine, .settle,
      .retry,
      .close, .status, .expire:
      break
    }
  }

  /// Adds jobs that were taken and not tried.
  mutating func putBack(_ untried: ArraySlice<StoreJob>) { jobs += untried }

  /// Removes and returns the dates, which have to be set before any record is written.
  mutating func takeDates() -> [StoreJob] {
    defer { jobs.removeAll(where: \.isDate) }
    return jobs.filter(\.isDate)
  }

  /// Removes and returns all jobs.
  mutating func takeAll() -> [StoreJob] {
    defer { jobs = [] }
    return jobs
  }
}

extension StoreJob {
  fileprivate var isDate: Bool { if case .date = self { true } else { false } }
}
