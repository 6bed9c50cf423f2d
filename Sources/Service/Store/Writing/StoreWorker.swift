import EventLoop
import System

/// Runs a ``LogWriter`` on a separate thread, so that flash that stalls for seconds does not block the loop.
///
/// Jobs go in through a bounded queue. The loop takes the answers when it is awake; urgent ones wake it.
public final class StoreWorker: Sendable {
  private let worker: Worker<StoreJob, StoreAnswer>

  /// Capacity of the job queue, for instance while the log is being checked or salvaged.
  public static let capacity = 1024

  /// Starts the thread. It opens the log and first answers ``StoreAnswer/opened(_:)`` or ``StoreAnswer/refused(_:)``.
  /// `claim` has the lock of the directory, if it was free.
  public init(
    directory: String, allowVolatile: Bool, options: LogOptions, claim: StorageClaim
  ) throws(SystemError) {
    worker = try Worker(name: "store", capacity: Self.capacity) { outbox in
      // If the queue is full, its next job settles the findings.
      let examiner = ThreadedExaminer { _ = outbox.post(.settle) }
      let copier = ThreadedCopier { _ = outbox.post(.settle) }
      let writer = LogWriter(
        directory: directory, allowVolatile: allowVolatile, options: options, examiner: examiner,
        copier: copier, claim: claim)
      return { job in
        for reply in writer.handle(job) { outbox.send(reply.answer, urgent: reply.urgent) }
      }
    }
    _ = worker.post(.retry)
  }

  /// The file descriptor that becomes readable with an urgent answer; see ``acknowledgeSignal()``.
  public var descriptor: Int32 { worker.descriptor }

  /// True if a job has not been completed, or a reply has not been taken.
  public var isBusy: Bool { worker.isBusy }

  /// Queues a job; false if the queue is full or closed, and then the job is not queued.
  public func post(_ job: StoreJob) -> Bool { worker.post(job) }

  /// Removes and returns the replies so far, oldest first.
  public func takeAnswers() -> [StoreAnswer] { worker.hasAnswers ? worker.takeAnswers() : [] }

  /// Clears the signal of ``descriptor``; call it when the descriptor is readable.
  public func acknowledgeSignal() { worker.acknowledgeSignal() }

  /// Executes the queued jobs and `jobs`, closes the log, ends the thread and returns the remaining answers.
  ///
  /// Call it only once.
  public func finish(after jobs: [StoreJob] = []) -> [StoreAnswer] {
    worker.finish(last: jobs + [.close])
    return worker.takeAnswers()
  }
}
