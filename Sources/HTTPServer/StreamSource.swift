import CMicroHTTPD

/// What the library reads a streamed answer from, as long as the answer lives.
final class StreamSource {
  /// Bytes handed to the library at a time.
  private static let roomSize = 16_384

  private let slices: HTTPSlices
  private let connection: OpaquePointer
  private unowned let reception: Reception

  init(_ slices: HTTPSlices, connection: OpaquePointer, reception: Reception) {
    self.slices = slices
    self.connection = connection
    self.reception = reception
  }

  /// An answer that reads here; nil when the library has no memory.
  func response() -> OpaquePointer? {
    // Released by the library with the answer.
    let context = Unmanaged.passRetained(self)
    let made = MHD_create_response_from_callback(
      UInt64.max, Self.roomSize,
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

  /// Zero while others come first; the connection is suspended then, as the library asks for
  /// (microhttpd.h, MHD_ContentReaderCallback).
  private func read(into room: UnsafeMutableRawBufferPointer) -> Int {
    guard slices.hasRest || reception.admitsPiece(on: connection) else { return 0 }
    let count = slices.read(into: room)
    if count > 0 { return count }
    return slices.isBroken ? outrider_MHD_end_with_error : outrider_MHD_end_of_stream
  }
}
