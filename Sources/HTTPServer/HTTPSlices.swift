/// A long answer that is made in pieces, so that neither memory nor the loop has to hold it.
///
/// A server makes one piece in a turn of its loop, for all its streams together, and the streams take turns: what a
/// piece costs to make is how long streams hold up the loop, however many there are.
public final class HTTPSlices: Equatable {
  private let next: () throws -> [UInt8]?
  private var rest: ArraySlice<UInt8> = []
  private var isOver = false
  /// True when `next` has thrown. The connection is then closed without the end of the body, so that no client takes the
  /// part for the whole (RFC 9112, section 8).
  private(set) var isBroken = false

  /// `next` answers a piece that is soon made and not empty, or nil at the end; it is called on the loop's thread. Once it
  /// throws, the answer breaks off.
  public init(_ next: @escaping () throws -> [UInt8]?) { self.next = next }

  public static func == (a: HTTPSlices, b: HTTPSlices) -> Bool { a === b }

  /// Puts bytes before everything that is still to come.
  func begin(with head: [UInt8]) { rest = head[...] + rest }

  /// True when bytes can be read without making a piece.
  var hasRest: Bool { !rest.isEmpty || isOver }

  /// Copies what is there into `room`, after making a piece when nothing is; 0 at the end, and where it is ``isBroken``.
  func read(into room: UnsafeMutableRawBufferPointer) -> Int {
    while rest.isEmpty, !isOver {
      do {
        if let piece = try next() { rest = piece[...] } else { isOver = true }
      } catch { (isOver, isBroken) = (true, true) }
    }
    let piece = rest.prefix(room.count)
    room.copyBytes(from: piece)
    rest = rest.dropFirst(piece.count)
    return piece.count
  }
}
