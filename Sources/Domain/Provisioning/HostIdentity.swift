/// The values that identify a device, for `${serial}`, `${mac}` and `${hostname}` in a device name.
public struct HostIdentity: Equatable, Sendable {
  /// A variable of a device name.
  public enum Variable: String, Sendable, CaseIterable {
    /// The serial number of the board.
    case serial
    /// The address of the first network interface: 12 hexadecimal digits.
    case mac
    case hostname

    var subject: String {
      switch self {
      case .serial: "serial number in /proc/device-tree/serial-number or /proc/cpuinfo"
      case .mac: "wired or wireless network interface in /sys/class/net"
      case .hostname: "host name"
      }
    }

    /// The other variables, for a remedy.
    var others: String {
      Self.allCases.filter { $0 != self }.map { "${\($0.rawValue)}" }.joined(separator: " or ")
    }
  }

  /// A network interface, as sysfs describes it.
  public struct Interface: Equatable, Sendable {
    public var name: String
    /// The address in sysfs, as in `b8:27:eb:01:02:03`.
    public var address: String
    /// True for a wired or wireless device; false for bridges, tunnels and the loopback.
    public var isPhysical: Bool

    public init(name: String, address: String, isPhysical: Bool) {
      (self.name, self.address, self.isPhysical) = (name, address, isPhysical)
    }
  }

  public private(set) var values: [Variable: String] = [:]

  /// Selects the values from what the kernel reports.
  ///
  /// - Parameters:
  ///   - serials: the contents of the device tree's serial numbers, most reliable first.
  ///   - processors: the content of `/proc/cpuinfo`; the line `Serial` is used without a device tree.
  ///   - interfaces: the network interfaces in any order.
  ///   - hostName: the host name, possibly with a line end.
  public init(serials: [[UInt8]], processors: [UInt8], interfaces: [Interface], hostName: String) {
    let line = String(decoding: processors, as: UTF8.self).split(separator: "\n").first {
      $0.prefix { $0 != ":" && !$0.isWhitespace } == "Serial"
    }
    let candidates =
      serials.map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      + [line.flatMap { $0.split(separator: ":").dropFirst().first.map(String.init) } ?? ""]
    values[.serial] = candidates.map(Self.trimmed).first(where: Self.isSerial)
    values[.mac] =
      interfaces.filter(\.isPhysical).sorted { $0.name < $1.name }.lazy
      .compactMap { Self.digits($0.address) }.first
    let name = Self.trimmed(hostName)
    if !name.isEmpty { values[.hostname] = name }
  }

  public init(_ values: [Variable: String]) { self.values = values }

  /// The text with the values in place of the variables. `location` is file, line and key for the error.
  func substituted(_ text: String, at location: String) throws(BootFault) -> String {
    var result = ""
    var remainder = text[...]
    while let start = remainder.firstRange(of: "${") {
      result += remainder[..<start.lowerBound]
      let name = remainder[start.upperBound...].prefix { $0 != "}" }
      guard name.endIndex < remainder.endIndex else {
        throw .unclosedVariable(location: location, text: String(name.prefix(20)))
      }
      guard let variable = Variable(rawValue: String(name)) else {
        throw .unknownVariable(location: location, name: String(name.prefix(20)))
      }
      guard let value = values[variable] else { throw .noValue(location: location, variable: variable) }
      result += value
      remainder = remainder[name.endIndex...].dropFirst()
    }
    return result + remainder
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }

  /// Boards without a number report zeros.
  private static func isSerial(_ text: String) -> Bool {
    !text.isEmpty && text.contains { $0 != "0" } && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  private static func digits(_ address: String) -> String? {
    let digits = address.lowercased().filter(\.isHexDigit)
    return digits.utf8.count == 12 && digits.contains { $0 != "0" } ? digits : nil
  }
}
