import CLinux
import Glibc

/// Starts threads besides the loop's own, for blocking work. They are never joined and end by themselves or with the
/// process.
public enum DetachedThread {
  /// Runs `body` on a new thread called `name`, of which the kernel keeps 15 bytes. Throws the error of
  /// pthread_create(3).
  public static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = ThreadStart {
      outrider_name_thread(name)
      body()
    }
    // The thread takes over the reference and releases it when it starts.
    let context = Unmanaged.passRetained(start)
    var thread = pthread_t()
    let refused = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard refused == 0 else {
      context.release()
      throw SystemError(call: "pthread_create", number: refused)
    }
    pthread_detach(thread)
  }
}

private final class ThreadStart: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
