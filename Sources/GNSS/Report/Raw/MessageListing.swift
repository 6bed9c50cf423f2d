/// Every message of a receiver as one line of JSON, in the order of the stream.
///
/// Frames with a wrong checksum, sentences without one and what belongs to no frame are left out. The lines do not
/// depend on how the stream was cut into pieces. What is kept between calls is one frame at most; the text grows with
/// the bytes of the call.
///
/// NMEA: `class`, `talker` (absent in the sentences of manufacturers), `sentence`, then the fields of
/// ``SentenceLayout/known`` or `fields`, all of them as text. Fields that spell a decimal number are numbers, without
/// leading zeros; times, dates, positions and numbers of satellites, stations and signals are always text as sent.
/// Empty fields are absent; what is sent beyond the known fields is in `rest`.
///
/// UBX and CASIC: `class`, `message`, then the fields with the names and units of the interface description, scaled
/// where it gives a scale: latitude and longitude in degrees, heights of NAV-PVT in millimetres. Bit fields, and class
/// and id of another message, are hexadecimal text; floating-point values that are no number are null. `length` is
/// added when the payload has another length than the known fields, and `payload` when it is longer. Messages that are
/// not known have `class_id`, `id`, `length` and `payload`; of a payload 256 bytes are shown, then "…". SiRF binary has
/// only its `class`.
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

  /// The stream is at its end: what lies behind the start of a half frame is searched once more.
  public mutating func finish(into text: inout [UInt8]) {
    while !framer.isEmpty {
      framer.abandonHalfFrame()
      drain(into: &text)
    }
  }

  private mutating func drain(into text: inout [UInt8]) {
    // A second reference to the storage for reading, gone before it is written again.
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
