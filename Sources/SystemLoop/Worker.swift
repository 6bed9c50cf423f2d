import Synchronization

/// One thread of its own for work that blocks, fed by a bounded queue, answering through a descriptor of the loop.
///
/// The work's state is made on the thread and never leaves it. Jobs are done in the order they were posted.
public final class Worker<Job: Sendable, Answer: Sendable>: Sendable {
  /// Takes one job.
  public typealias Body = (Job) -> Void

  /// Where answers go, and jobs that the work leads to; from any thread.
  public struct Outbox: Sendable {
    fileprivate let worker: Worker

    /// Queues a job; false when the queue is full or closed, and then nothing happened.
    public func post(_ job: Job) -> Bool { worker.post(job) }

    /// `urgent` wakes the loop; otherwise the answer waits until the loop is awake anyway.
    public func send(_ answer: Answer, urgent: Bool) {
      worker.state.withLock {
        $0.answers.append(answer)
        worker.answersWait.store(true, ordering: .relaxed)
      }
      if urgent { worker.answered.signal() }
    }
  }

  private struct State {
    var jobs: [Job] = []
    var answers: [Answer] = []
    var isClosed = false
  }

  private let answersWait = Atomic(false)
  private let state = Mutex(State())
  private let posted: EventDescriptor
  private let answered: EventDescriptor
  private let finished: EventDescriptor
  private let capacity: Int

  /// Starts the thread. `capacity` is the most jobs that wait besides those it has taken up. `makeBody` runs on the
  /// new thread; what it returns answers through the outbox.
  public init(
    name: String, capacity: Int, makeBody: @escaping @Sendable (Outbox) -> Body
  ) throws(SystemError) {
    self.capacity = capacity
    posted = try EventDescriptor(blocking: true)
    answered = try EventDescriptor(blocking: false)
    finished = try EventDescriptor(blocking: true)
    try DetachedThread.start(name) { [self] in
      serve(makeBody(Outbox(worker: self)))
      finished.signal()
    }
  }

  /// Readable when an urgent answer waits.
  public var descriptor: Int32 { answered.raw }

  /// Queues a job; false when the queue is full or closed, and then nothing happened.
  public func post(_ job: Job) -> Bool {
    let taken = state.withLock { state in
      guard !state.isClosed, state.jobs.count < capacity else { return false }
      state.jobs.append(job)
      return true
    }
    if taken { posted.signal() }
    return taken
  }

  /// Whether ``takeAnswers()`` has something to take. Costs no lock: it is asked in every turn of a loop.
  public var hasAnswers: Bool { answersWait.load(ordering: .relaxed) }

  /// Takes the answers so far, oldest first.
  public func takeAnswers() -> [Answer] {
    state.withLock { state in
      answersWait.store(false, ordering: .relaxed)
      defer { state.answers = [] }
      return state.answers
    }
  }

  /// Takes back the signals of ``descriptor``; call when it was readable.
  public func acknowledgeSignal() { answered.wait() }

  /// No more jobs but `last`, for which there is always room; returns when all are done and the thread has left.
  /// Callable once.
  public func finish(last: [Job] = []) {
    state.withLock { state in
      state.jobs += last
      state.isClosed = true
    }
    posted.signal()
    finished.wait()
  }

  private func serve(_ body: Body) {
    while true {
      let (jobs, isClosed) = state.withLock { state in
        defer { state.jobs = [] }
        return (state.jobs, state.isClosed)
      }
      for job in jobs { body(job) }
      if jobs.isEmpty {
        if isClosed { return }
        posted.wait()
      }
    }
  }
}
