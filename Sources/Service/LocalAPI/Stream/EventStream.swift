import EventLoop
import Quantities

/// The messages of `GET /stream` and its clients.
///
/// Each message is rendered once for all clients. Without a client nothing is rendered, and no timer is armed.
public final class EventStream {
  /// Handlers of the logger.
  public struct Outputs {
    /// Called when ``EventStream/hasClients``, ``EventStream/wantsSky``, ``EventStream/wantsRaw`` or
    /// ``EventStream/wantsLive`` may have changed.
    public var clientsChanged: () -> Void = {}
  }

  public var outputs = Outputs()
  private let loop: EventLoop
  private var backlog = StreamBacklog()
  /// The time until which a client requests every epoch at once.
  private var liveUntil: Moment?

  public init(loop: EventLoop) { self.loop = loop }

  /// True if at least one client is connected. Without one, messages need not be rendered.
  public var hasClients: Bool { !backlog.isEmpty }
  /// True if a client requests satellites (`?sky=1`).
  public var wantsSky: Bool { backlog.topics.contains(.sky) }
  /// True if a client requests the receiver's lines (`?raw=1`).
  public var wantsRaw: Bool { backlog.topics.contains(.raw) }
  /// True if a client requests every epoch at once (`?live=1`), for two minutes after its connection.
  public var wantsLive: Bool { hasClients && liveUntil.map { loop.now < $0 } ?? false }

  /// Sends a message to all clients that requested it. Without clients this has no effect.
  public func publish(_ event: StreamEvent) {
    guard hasClients else { return }
    _ = backlog.add(event)
  }
}
