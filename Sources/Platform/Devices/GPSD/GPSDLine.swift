import Quantities

/// One line of gpsd, checked before libgps reads it.
///
/// libgps 3.25 reads some lines for ever: after an attribute that it refuses, `gps_unpack` goes on at that attribute for
/// as long as a `"class":` follows it (`libgps_json_unpack`, `json_internal_read_object`). So libgps gets a line only if
/// its first attribute is a known class and no other `"class":` follows. The receivers of DEVICES have one each, which
/// is overwritten with spaces.
enum GPSDLine {
  /// A class that the logger reads (attribute `class` in gpsd_json(5)).
  enum Class: String, CaseIterable {
    case position = "TPV"
    case satellites = "SKY"
    case deviation = "GST"
    case device = "DEVICE"
    case devices = "DEVICES"
    case version = "VERSION"
    /// gpsd's answer to the request of reports. libgps does not read it.
    case watch = "WATCH"
  }

  /// The result of the check.
  enum Preparation: Equatable {
    case read(Class)
    /// libgps must not read the line, or the logger has no use for it.
    case ignored(IgnoredInput)
  }

  /// Checks a line.
  ///
  /// `line` is without its end. It may be changed, but keeps its length.
  static func prepare(_ line: UnsafeMutableBufferPointer<UInt8>) -> Preparation {
    guard let known = classes.first(where: { begins(line, at: 0, with: $0.opening) }) else {
      return .ignored(begins(line, at: 0, with: anyClass) ? .otherClass : .noClass)
    }
    for index in known.opening.count..<line.count where line[index] == quotation {
      guard begins(line, at: index, with: key) else { continue }
      guard known.name == .devices, line[index - 1] == brace, begins(line, at: index, with: receiver) else {
        return .ignored(.secondClass)
      }
      line[index..<index + receiver.count].update(repeating: UInt8(ascii: " "))
    }
    return .read(known.name)
  }

  private static let classes = Class.allCases.map { name in
    (name: name, opening: Array(#"{"class":"\#(name.rawValue)""#.utf8))
  }
  private static let anyClass = Array(#"{"class":""#.utf8)
  private static let key = Array(#""class":"#.utf8)
  private static let receiver = Array(#""class":"DEVICE","#.utf8)
  private static let quotation = UInt8(ascii: #"""#)
  private static let brace = UInt8(ascii: "{")

  private static func begins(_ line: UnsafeMutableBufferPointer<UInt8>, at start: Int, with text: [UInt8])
    -> Bool
  {
    guard text.count <= line.count - start else { return false }
    for index in text.indices where line[start + index] != text[index] { return false }
    return true
  }
}
