import Synchronization
import System

/// A separate thread for blocking work, with a bounded queue of jobs and a descriptor that signals answers to
/// the loop.
///
/// The state of the work is created on the thread and never leaves it. Jobs are processed in order.
public final class Worker<Job: Sendable, Answer: Sendable>: Sendable {
  /// Processes one job.
  public typealias Body = (Job) -> Void

  /// The worker's interface for answers and for follow-up jobs; usable from any thread.
  public struct Outbox: Sendable {
    fileprivate let worker: Worker

    /// Queues a job; false if the queue is full or closed, without effect.
    public func post(_ job: Job) -> Bool { worker.post(job) }

    /// Sends an answer. If `urgent`, wakes the loop; otherwise the answer waits until the loop is awake
    /// anyway.
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
    /// True while the thread works on jobs that it has taken.
    var isProcessing = false
    var answers: [Answer] = []
    var isClosed = false
  }

  private let answersWait = Atomic(false)
  private let state = Mutex(State())
  private let posted: EventDescriptor
  private let answered: EventDescriptor
  private let finished: EventDescriptor
  private let capacity: Int

  /// Starts the thread. `capacity` is the maximum number of waiting jobs, besides those being processed.
  /// `makeBody` runs on the new thread; the body it returns sends answers through the outbox.
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

  /// A descriptor that becomes readable when an urgent answer is available.
  public var descriptor: Int32 { answered.raw }

  /// Queues a job; false if the queue is full or closed, without effect.
  public func post(_ job: Job) -> Bool {
    let taken = state.withLock { state in
      guard !state.isClosed, state.jobs.count < capacity else { return false }
      state.jobs.append(job)
      return true
    }
    if taken { posted.signal() }
    return taken
  }

  /// True if a job has not been completed, or an answer has not been taken.
  public var isBusy: Bool {
    hasAnswers || state.withLock { !$0.isClosed && (!$0.jobs.isEmpty || $0.isProcessing) }
  }

  /// True if ``takeAnswers()`` has answers. Uses no lock, because it is checked in every loop iteration.
  public var hasAnswers: Bool { answersWait.load(ordering: .relaxed) }

  /// Removes and returns the answers so far, oldest first.
  public func takeAnswers() -> [Answer] {
    state.withLock { state in
      answersWait.store(false, ordering: .relaxed)
      defer { state.answers = [] }
      return state.answers
    }
  }

  /// Clears the signals of ``descriptor``; call it when the descriptor was readable.
  public func acknowledgeSignal() { answered.wait() }

  /// Accepts no more jobs except `last`, for which there is always room; returns when all are done and the
  /// thread has ended. Call it once.
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
        state.isProcessing = !state.jobs.isEmpty
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
