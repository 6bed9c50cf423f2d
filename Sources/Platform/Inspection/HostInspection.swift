import Doctor
import Glibc

extension HostFacts {
  /// Reads the machine and the files of boot and package. `machine` is the kernel's name of the machine.
  public init(_ tree: FileTree, machine: String) {
    self.init()
    self.machine = machine
    model = tree.line("/proc/device-tree/model") ?? tree.line("/sys/firmware/devicetree/base/model")
    let isThere = { (name: String) in tree.exists("/lib/\(name)") || tree.exists("/usr/lib/\(name)") }
    has32BitLibraries =
      ["arm-linux-gnueabihf", "arm-linux-gnueabi", "i386-linux-gnu"].contains { isThere("\($0)/libc.so.6") }
      && !["aarch64-linux-gnu", "x86_64-linux-gnu"].contains { isThere("\($0)/libc.so.6") }
    let path = ["/boot/firmware/config.txt", "/boot/config.txt"].first(where: tree.exists)
    boot = BootFiles(
      path: path, configuration: path.flatMap { tree.text($0) } ?? "",
      kernelLine: tree.text("/proc/cmdline") ?? "",
      commandLine: tree.text(BootFiles.commandLinePath(besides: path)))
    accounts = Accounts(passwd: tree.text("/etc/passwd") ?? "", group: tree.text("/etc/group") ?? "")
    isPackaged = tree.exists("/usr/share/doc/outrider/copyright")
    udevRules = ["/etc", "/usr/lib", "/lib", "/run"].map { "\($0)/udev/rules.d/60-outrider.rules" }
      .first(where: tree.exists)
    polkitRules = Self.polkitRules(tree)
    hasPolkit = ["/usr/lib/polkit-1/polkitd", "/usr/libexec/polkitd", "/usr/lib/policykit-1/polkitd"]
      .contains(where: tree.exists)
    watchdogs = tree.names("/sys/class/watchdog")
    hasAppArmor = tree.line("/sys/module/apparmor/parameters/enabled").map { $0 == "Y" }
  }

  private static func polkitRules(_ tree: FileTree) -> Fact<String> {
    var hidden: Fact<String>?
    for folder in ["/etc", "/usr/local/share", "/usr/share"].map({ "\($0)/polkit-1/rules.d" }) {
      switch tree.list(folder) {
      case .known(let names):
        if let name = names.first(where: { $0.hasSuffix("outrider.rules") }) {
          return .known("\(folder)/\(name)")
        }
      case .hidden(let reason): hidden = .hidden("\(reason); run doctor with sudo")
      case .absent: break
      }
    }
    return hidden ?? .absent
  }

  /// The kernel's name of this machine (uname(2)), as in `aarch64`.
  public static var presentMachine: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "" }
    return withUnsafeBytes(of: names.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

extension Identity {
  /// The user of this process with its effective groups.
  public static func present(_ accounts: Accounts) -> Identity {
    var groups = [gid_t](repeating: 0, count: 65_536)
    let count = getgroups(Int32(groups.count), &groups)
    return Identity(
      name: accounts.userName(geteuid()), user: geteuid(),
      groups: Set(groups.prefix(max(0, Int(count))) + [getegid()]))
  }
}
