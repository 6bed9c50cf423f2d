import GNSSProtocol

/// Lists every message of a receiver as one line of JSON, in the order of the stream.
///
/// Frames with a wrong checksum, sentences without one and bytes outside frames are omitted. The lines do not
/// depend on how the stream is divided. At most one frame is kept between calls; the text grows with the
/// bytes of the call.
///
/// NMEA: `class`, `talker` (absent in manufacturers' sentences), `sentence`, then the fields of
/// ``SentenceLayout/known`` or `fields`, all of them as text. Decimal fields are numbers, without leading
/// zeros; times, dates, positions and numbers of satellites, stations and signals are always text as sent.
/// Empty fields are absent; fields beyond the known ones are in `rest`.
///
/// UBX and CASIC: `class`, `message`, then the fields with the names and units of the interface description,
/// scaled if it gives a scale: latitude and longitude in degrees, heights of NAV-PVT in millimetres. Bit
/// fields, and class and id of another message, are hexadecimal text; floating-point values that are not
/// numbers are null. `length` is added if the length of the payload differs from the known fields, and
/// `payload` if it is longer. Unknown messages have `class_id`, `id`, `length` and `payload`, of which 256
/// bytes are shown, then "…". SiRF binary has only its `class`.
public struct MessageListing: Sendable {
  private var framer = Framer()

  public init() {}

  /// Appends a line for each message that `bytes` complete.
  public mutating func list(_ bytes: UnsafeRawBufferPointer, into text: inout [UInt8]) {
    var rest = bytes
    while !rest.isEmpty {
      let taken = framer.fill(from: rest)
      rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
      drain(into: &text)
    }
  }

  /// Ends the stream: the bytes after the start of an incomplete frame are searched again.
  public mutating func finish(into text: inout [UInt8]) {
    while !framer.isEmpty {
      framer.abandonHalfFrame()
      drain(into: &text)
    }
  }

  private mutating func drain(into text: inout [UInt8]) {
    // A second reference to the storage for reading, released before the next write.
    let storage = framer.storage
    storage.withUnsafeBytes { bytes in
      while let frame = framer.next(in: bytes) {
        switch frame {
        case .sentence(let body): SentenceLayout.list(bytes[body], into: &text)
        case .ubx(let type, let id, let payload):
          BinaryLayout.list(.ubx, class: type, id: id, bytes[payload], into: &text)
        case .casic(let type, let id, let payload):
          BinaryLayout.list(.casic, class: type, id: id, bytes[payload], into: &text)
        case .sirf: text.write(#"{"class":"SIRF""#)
        }
        text.write("}\n")
      }
    }
  }
}
