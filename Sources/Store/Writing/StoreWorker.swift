import SystemLoop

/// The log on a thread of its own: flash may stall for seconds, the loop never does.
///
/// Jobs go in through a bounded queue, answers come back when the loop is awake; urgent ones wake it.
public final class StoreWorker: Sendable {
  private let worker: Worker<StoreJob, StoreAnswer>

  /// Jobs that may wait, while the log is being checked or salvaged for example.
  public static let capacity = 1024

  /// Starts the thread, which opens the log at once and answers ``StoreAnswer/opened(_:)`` or
  /// ``StoreAnswer/refused(_:)`` first.
  public init(directory: String, allowVolatile: Bool, options: LogOptions) throws(SystemError) {
    worker = try Worker(name: "store", capacity: Self.capacity) { outbox in
      // Where the queue is full, the next job of it settles the findings.
      let examiner = ThreadedExaminer { _ = outbox.post(.settle) }
      let writer = LogWriter(
        directory: directory, allowVolatile: allowVolatile, options: options, examiner: examiner)
      return { job in
        for reply in writer.handle(job) { outbox.send(reply.answer, urgent: reply.urgent) }
      }
    }
    _ = worker.post(.retry)
  }

  /// Readable when an urgent answer waits; see ``acknowledgeSignal()``.
  public var descriptor: Int32 { worker.descriptor }

  /// Queues a job; false when the queue is full or closed, and then nothing happened.
  public func post(_ job: StoreJob) -> Bool { worker.post(job) }

  /// Takes the answers so far, oldest first.
  public func takeAnswers() -> [StoreAnswer] { worker.hasAnswers ? worker.takeAnswers() : [] }

  /// Takes back the signals of ``descriptor``; call when it was readable.
  public func acknowledgeSignal() { worker.acknowledgeSignal() }

  /// Does the jobs queued and those given here, closes the log, ends the thread and answers what was still to be
  /// told. Callable once.
  public func finish(after jobs: [StoreJob] = []) -> [StoreAnswer] {
    worker.finish(last: jobs + [.close])
    return worker.takeAnswers()
  }
}
