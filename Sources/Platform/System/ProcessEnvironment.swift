import Glibc

/// The environment of the process.
public enum ProcessEnvironment {
  public static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The host name; empty if there is none.
  public static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The identity of this boot (random/boot_id in proc(5)); empty if the kernel does not supply it.
  public static var bootIdentity: String {
    guard let bytes = try? FileBytes.read("/proc/sys/kernel/random/boot_id", limit: 256) else { return "" }
    return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
  }

  public static var processID: Int32 { getpid() }

  /// Path of the running program; nil if `/proc` is not mounted.
  public static var executable: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &path, path.count)
    guard length > 0 else { return nil }
    return String(decoding: path.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
