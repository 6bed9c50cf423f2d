import CQRencode
import Glibc

/// A reason why there is no QR code of a text.
public enum QRError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text has more bytes than the largest code holds.
  case tooLong(bytes: Int)
  case empty
  case outOfMemory

  public var description: String {
    switch self {
    case .tooLong(let bytes): "\(bytes) bytes do not fit into a QR code, which holds at most \(QRMatrix.most)"
    case .empty: "there is no QR code of an empty text"
    case .outOfMemory: "not enough memory for a QR code"
    }
  }
}

/// The modules of a QR code (ISO/IEC 18004), without its quiet zone.
public struct QRMatrix: Equatable, Sendable {
  /// Bytes in the largest code, version 40 with the lowest error correction.
  public static let most = 2953
  /// Modules of the light margin that a reader requires on each side.
  public static let quietZone = 4

  /// The number of modules on each side, 21 to 177.
  public let size: Int
  private let dark: [Bool]

  /// Encodes the UTF-8 bytes of a text (QRcode_encodeData). Error correction is level M (15 %), or L (7 %) if M is too
  /// small.
  public init(_ text: String) throws(QRError) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= Self.most else { throw .tooLong(bytes: bytes.count) }
    for level in [QR_ECLEVEL_M, QR_ECLEVEL_L] {
      guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, level) else {
        if errno == ERANGE { continue }
        throw .outOfMemory
      }
      defer { QRcode_free(code) }
      size = Int(code.pointee.width)
      // The lowest bit of a module is its colour.
      dark = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
      return
    }
    throw .tooLong(bytes: bytes.count)
  }

  /// True for a dark module; false outside of the code.
  public func isDark(row: Int, column: Int) -> Bool {
    guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
    return dark[row * size + column]
  }

  /// The rows and columns with the quiet zone.
  var range: Range<Int> { -Self.quietZone..<size + Self.quietZone }
}
