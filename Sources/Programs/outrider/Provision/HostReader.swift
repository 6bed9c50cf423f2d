import Glibc
import Provisioning
import System

/// What the kernel reports about the host, read below an injectable root.
struct HostReader {
  var root = ""

  var mounts: MountTable { MountTable(mountinfo: content("/proc/self/mountinfo", limit: 1 << 20)) }

  /// The model in the device tree, as in `Raspberry Pi Zero 2 W Rev 1.0`; nil on other hosts.
  var model: String? {
    let bytes = content("/proc/device-tree/model", limit: 256).prefix { $0 != 0 }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  var identity: HostIdentity {
    HostIdentity(
      serials: [
        content("/proc/device-tree/serial-number", limit: 256),
        content("/sys/firmware/devicetree/base/serial-number", limit: 256),
      ],
      processors: content("/proc/cpuinfo", limit: 1 << 20), interfaces: interfaces, hostName: hostName)
  }

  /// The serial ports: those on USB by their lasting names, and that of the 40-pin header.
  var serialPorts: [String] {
    let folder = SetupFacts.lastingNames
    let header = SetupFacts.headerPort
    return Self.names(in: root + folder).sorted().map { "\(folder)/\($0)" }
      + (access(root + header, F_OK) == 0 ? [header] : [])
  }

  /// True if a gpsd has its control socket, which its socket unit creates.
  var hasGPSD: Bool { access(root + "/run/gpsd.sock", F_OK) == 0 }

  /// The names in a directory without `.` and `..`; empty if it cannot be read.
  static func names(in directory: String) -> [String] {
    guard let entries = opendir(directory) else { return [] }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private var interfaces: [HostIdentity.Interface] {
    let folder = "/sys/class/net"
    return Self.names(in: root + folder).map { name in
      let address = String(decoding: content("\(folder)/\(name)/address", limit: 4096), as: UTF8.self)
      // ARPHRD_ETHER; bridges and tunnels have no device.
      let type = content("\(folder)/\(name)/type", limit: 4096).prefix { $0 > 0x20 }
      let hasDevice = access("\(root)\(folder)/\(name)/device", F_OK) == 0
      return HostIdentity.Interface(
        name: name, address: address, isPhysical: hasDevice && type.elementsEqual("1".utf8))
    }
  }

  /// The name in `/etc/hostname` of another root; that of the running system otherwise.
  private var hostName: String {
    root.isEmpty
      ? ProcessEnvironment.hostName : String(decoding: content("/etc/hostname", limit: 256), as: UTF8.self)
  }

  private func content(_ path: String, limit: Int) -> [UInt8] {
    (try? FileBytes.read(root + path, limit: limit)) ?? []
  }
}
