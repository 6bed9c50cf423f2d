/// The body of a long response, produced in slices to limit memory and the duration of a loop turn.
///
/// A server produces one slice per turn of its loop for all streams together, in round robin. The streams therefore
/// delay the loop by the cost of one slice, regardless of their number.
public final class HTTPSlices: Equatable {
  private let next: () throws -> [UInt8]?
  private var remainder: ArraySlice<UInt8> = []
  private var isOver = false
  /// True if `next` has thrown. The connection is then closed without the end of the body, so the client detects the
  /// incomplete response (RFC 9112 section 8).
  private(set) var isBroken = false

  /// Creates a body from `next`, which returns a slice that is not empty, or nil at the end. It must be fast and is
  /// called on the loop's thread. If it throws, the response ends incomplete.
  public init(_ next: @escaping () throws -> [UInt8]?) { self.next = next }

  public static func == (a: HTTPSlices, b: HTTPSlices) -> Bool { a === b }

  /// Inserts bytes before the remaining slices.
  func begin(with head: [UInt8]) { remainder = head[...] + remainder }

  /// True if bytes can be read without producing a slice.
  var hasRemainder: Bool { !remainder.isEmpty || isOver }

  /// Copies available bytes into `room`, and produces a slice if there are none. Returns 0 at the end and if
  /// ``isBroken``.
  func read(into room: UnsafeMutableRawBufferPointer) -> Int {
    while remainder.isEmpty, !isOver {
      do {
        if let piece = try next() { remainder = piece[...] } else { isOver = true }
      } catch { (isOver, isBroken) = (true, true) }
    }
    let piece = remainder.prefix(room.count)
    room.copyBytes(from: piece)
    remainder = remainder.dropFirst(piece.count)
    return piece.count
  }
}
