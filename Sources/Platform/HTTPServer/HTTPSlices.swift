/// The body of a long response, produced in slices to limit memory and the duration of a loop turn.
///
/// A server produces one slice per turn of its loop for all streams together, in round robin. The streams therefore
/// delay the loop by the cost of one slice, regardless of their number. A lasting body (``init(lasting:)``) does not take
/// turns: its source has little to send, and knows when.
public final class HTTPSlices: Equatable {
  /// The next part of a lasting body.
  public enum Step: Equatable, Sendable {
    /// Bytes to send; not empty.
    case bytes([UInt8])
    /// There is nothing to send before ``HTTPSlices/resume()``. Until then the connection causes no wake-up.
    case waits
    case ends
  }

  /// The outcome of one read.
  enum Reading: Equatable {
    case count(Int)
    case waits
    case ended
    /// The connection is closed without the end of the body, so the client detects the incomplete response (RFC 9112
    /// section 8).
    case broken
  }

  /// True if the response may last as long as its client, without a time limit.
  public let isLasting: Bool
  private let next: () throws -> Step
  private var remainder: ArraySlice<UInt8> = []
  private var end: Reading?
  /// Set by the server: lets the library continue with a connection that waits.
  var resumed: () -> Void = {}

  /// Creates a body from `next`, which returns a slice that is not empty, or nil at the end. It must be fast and is
  /// called on the loop's thread. If it throws, the response ends incomplete.
  public init(_ next: @escaping () throws -> [UInt8]?) {
    isLasting = false
    self.next = { try next().map { .bytes($0) } ?? .ends }
  }

  /// Creates a body without a time limit, such as a stream of events. `next` is called after every ``resume()`` until it
  /// has nothing to send. The body is deallocated when its client is gone.
  public init(lasting next: @escaping () throws -> Step) {
    isLasting = true
    self.next = next
  }

  public static func == (a: HTTPSlices, b: HTTPSlices) -> Bool { a === b }

  /// Continues a body that waits, at the end of this turn of the loop. Without effect on any other.
  public func resume() { resumed() }

  /// Inserts bytes before the remaining slices.
  func begin(with head: [UInt8]) { remainder = head[...] + remainder }

  /// Drops the remainder; the connection is closed at the next read.
  func cancel() { (remainder, end) = ([], .broken) }

  /// True if bytes can be read without producing a slice.
  var hasRemainder: Bool { !remainder.isEmpty || end != nil }

  /// Copies available bytes into `room`, and produces a slice if there are none.
  func read(into room: UnsafeMutableRawBufferPointer) -> Reading {
    while remainder.isEmpty {
      if let end { return end }
      do {
        switch try next() {
        case .bytes(let piece): remainder = piece[...]
        case .waits: return .waits
        case .ends: end = .ended
        }
      } catch { end = .broken }
    }
    let piece = remainder.prefix(room.count)
    room.copyBytes(from: piece)
    remainder = remainder.dropFirst(piece.count)
    return .count(piece.count)
  }
}

/// The work for a response that takes some time, such as a read from a disk.
///
/// A server does it in the turn of its connection: one such response or one slice in a turn of its loop, in round robin.
public final class HTTPWork: Equatable {
  let response: () -> HTTPResponse

  /// `response` is called on the loop's thread, unless the client is gone before.
  public init(_ response: @escaping () -> HTTPResponse) { self.response = response }

  public static func == (a: HTTPWork, b: HTTPWork) -> Bool { a === b }
}
