import Glibc
import System

/// An I²C bus that the kernel offers.
public struct I2CAdapter: Hashable, Sendable {
  /// The N of `/dev/i2c-N`.
  public let number: Int
  /// The driver's name of the adapter.
  public let name: String
  public var path: String { "/dev/i2c-\(number)" }

  /// All buses of the driver i2c-dev, by number; empty if it is not loaded.
  public static func present(under directory: String = "/sys/class/i2c-dev") -> [I2CAdapter] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var adapters: [I2CAdapter] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix("i2c-"), let number = Int(name.dropFirst(4)), number >= 0 else { continue }
      let bytes = (try? FileBytes.read("\(directory)/\(name)/name", limit: 256)) ?? []
      let label = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      adapters.append(I2CAdapter(number: number, name: label))
    }
    return adapters.sorted { $0.number < $1.number }
  }
}
