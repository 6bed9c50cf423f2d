import Glibc

/// The addresses of this host.
enum HostAddresses {
  /// The IPv4 addresses of the interfaces that are up, except for loopback, in the order of the kernel.
  static var ipv4: [String] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard entry.ifa_flags & UInt32(IFF_UP) != 0,
        entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
        let address = entry.ifa_addr, Int32(address.pointee.sa_family) == AF_INET
      else { continue }
      let number = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
      }
      addresses.append([24, 16, 8, 0].map { String(number >> $0 & 0xFF) }.joined(separator: "."))
    }
    return addresses
  }
}
