import CMicroHTTPD

/// The source from which the library reads a streamed response. The library owns it.
final class StreamSource {
  /// The size of the library's buffer in bytes, and the most that is written at a time: a Unix socket shows that its peer reads
  /// only when it has read all of it.
  private static let roomSize = 16_384
  /// The size for a lasting response, whose messages are short.
  private static let lastingRoomSize = 4096

  private let slices: HTTPSlices
  private let connection: OpaquePointer
  private unowned let reception: Reception

  init(_ slices: HTTPSlices, connection: OpaquePointer, reception: Reception) {
    self.slices = slices
    self.connection = connection
    self.reception = reception
    slices.resumed = { [unowned reception] in reception.resume(connection) }
  }

  deinit { slices.resumed = {} }

  /// Returns a response that reads from this source; nil if the library has no memory.
  func response() -> OpaquePointer? {
    // Released by the library together with the response.
    let context = Unmanaged.passRetained(self)
    let made = MHD_create_response_from_callback(
      UInt64.max, slices.isLasting ? Self.lastingRoomSize : Self.roomSize,
      { context, _, room, size in
        guard let context, let room else { return outrider_MHD_end_with_error }
        let source = Unmanaged<StreamSource>.fromOpaque(context).takeUnretainedValue()
        return source.read(into: UnsafeMutableRawBufferPointer(start: room, count: size))
      }, context.toOpaque(),
      { context in
        guard let context else { return }
        Unmanaged<StreamSource>.fromOpaque(context).release()
      })
    if made == nil { context.release() }
    return made
  }

  /// Returns the number of bytes read; 0 while other streams come first, or while there is nothing to send. The connection
  /// is then suspended, as the library requires (microhttpd.h, MHD_ContentReaderCallback).
  private func read(into room: UnsafeMutableRawBufferPointer) -> Int {
    guard slices.isLasting || slices.hasRemainder || reception.admitsPiece(on: connection) else { return 0 }
    switch slices.read(into: UnsafeMutableRawBufferPointer(rebasing: room.prefix(Self.roomSize))) {
    case .count(let count):
      reception.count(count, on: connection)
      return count
    case .waits:
      reception.suspend(connection)
      return 0
    case .ended: return outrider_MHD_end_of_stream
    case .broken: return outrider_MHD_end_with_error
    }
  }
}
