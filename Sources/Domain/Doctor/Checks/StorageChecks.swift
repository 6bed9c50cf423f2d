import Medium

/// The checks of the log's directory and file system.
enum StorageChecks {
  static let all: [Check] = [
    Check(
      "volatile", .storage, "The log is on a file system that survives a power cut.",
      advice: "Move the log to a data partition; see [read-only root](read-only-root.md)."
    ) { facts in volatile(facts) },
    Check(
      "overlay-recursion", .storage, "The read-only root does not cover the log's partition.",
      advice: "Write `overlayroot=tmpfs:recurse=0` instead of `overlayroot=tmpfs`."
    ) { facts in overlayRecursion(facts) },
    Check(
      "read-only", .storage, "The log's file system can be written.",
      advice: "A medium that turned read-only is damaged: back up the log and replace the medium."
    ) { facts in readOnly(facts) },
    Check(
      "storage-permission", .storage, "The logger may write to the storage directory.",
      advice: "Give the directory to the logger's user."
    ) { facts in
      guard let path = directory(facts) else { return ConfigurationChecks.unread(facts) }
      guard let node = facts.storage.directory.value else {
        return facts.storage.directory.skipped(ifAbsent: "\(path) does not exist yet; the logger creates it")
      }
      let logger = facts.loggerIdentity
      let owner = facts.host.accounts.userName(node.user)
      if node.permits(7, to: logger) { return .ok("\(path) belongs to \(owner)") }
      return .error(
        "\(path) belongs to \(owner); \(logger.name) may not write to it", means: "Nothing is logged.",
        fix: "sudo chown -R \(logger.name): \(path)")
    },
    Check(
      "free-space", .storage, "The log has space.", advice: "Delete files, or lower `storage.limit`."
    ) { facts in freeSpace(facts) },
    Check(
      "fs-errors", .storage, "The file system recorded no errors.",
      advice: "Check the file system at the next start, and replace the medium if errors return."
    ) { facts in
      guard let count = facts.storage.fileSystemErrors.value else {
        return facts.storage.fileSystemErrors.skipped(ifAbsent: "the file system does not count errors")
      }
      if count == 0 { return .ok("none") }
      return .error(
        "ext4 recorded \(count) error\(count == 1 ? "" : "s")",
        means: "Files may be damaged, and more damage may follow.",
        fix: "add fsck.mode=force to the kernel's command line (cmdline.txt) for one start",
        "sudo dmesg | grep EXT4-fs")
    },
    Check(
      "noatime", .storage, "Reading files does not write to the medium.",
      advice: "Add `noatime` to the options in /etc/fstab."
    ) { facts in
      guard let path = directory(facts), let mount = facts.storage.mount(of: path) else {
        return noMount(facts)
      }
      if ["overlay", "tmpfs", "ramfs"].contains(mount.fileSystem) {
        return .skipped("\(mount.point) is in memory")
      }
      guard let option = ["noatime", "relatime", "ro"].first(where: mount.options.contains) else {
        return .warning(
          "\(mount.point) is mounted without noatime",
          means: "Every read of a file is a write to the medium.",
          fix: "sudo mount -o remount,noatime \(mount.point)",
          "sudoedit /etc/fstab   and add noatime to the options of \(mount.point)")
      }
      return .ok("\(mount.point): \(option)")
    },
    Check(
      "tiles", .storage, "The map's file has images of the region of the device.",
      advice: "Make the file again for the region; see [page](page.md#a-map-without-the-internet)."
    ) { facts in tiles(facts) },
  ]

  private static func tiles(_ facts: SystemFacts) -> Finding {
    guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
    switch settings.map.tiles {
    case nil: return .ok("map.tiles is off")
    case .server(let template)?: return .ok("browsers load from \(template.origin)")
    case .file(let path)?:
      guard let tiles = facts.storage.tiles.value else {
        return facts.storage.tiles.skipped(ifAbsent: "\(path) was not read")
      }
      if let fault = tiles.fault {
        return .error(
          fault, means: "The map has no background but its grid.", fix: "sudo outrider set map.tiles=off")
      }
      guard let fix = facts.logger.report?.lastFix, let latitude = fix.latitude,
        let longitude = fix.longitude,
        let bounds = tiles.bounds, bounds.count == 4
      else { return .ok(path) }
      if (bounds[1]...bounds[3]).contains(latitude), (bounds[0]...bounds[2]).contains(longitude) {
        return .ok(path)
      }
      return .warning(
        "\(path) does not contain the last position",
        means: "The map has no background where the device is.",
        fix: "make the file for the region of the device", "outrider set map.tiles=off")
    }
  }

  static func directory(_ facts: SystemFacts) -> String? { facts.configuration.settings?.storage.directory }

  static func noMount(_ facts: SystemFacts) -> Finding {
    facts.configuration.settings == nil
      ? ConfigurationChecks.unread(facts) : .skipped("the mounts cannot be read")
  }

  /// True if the root file system is an overlay in memory.
  static func hasOverlayRoot(_ facts: SystemFacts) -> Bool {
    facts.storage.mounts.last { $0.point == "/" }?.fileSystem == "overlay"
  }

  private static func volatile(_ facts: SystemFacts) -> Finding {
    guard let path = directory(facts), let mount = facts.storage.mount(of: path) else {
      return noMount(facts)
    }
    guard ["tmpfs", "ramfs", "overlay"].contains(mount.fileSystem) else {
      return .ok("\(path) is on \(mount.source) (\(mount.fileSystem))")
    }
    let evidence =
      "\(path) is on \(mount.fileSystem == "overlay" ? "an overlay" : mount.fileSystem) at \(mount.point)"
    let means = "All records since the start are lost with a power cut or restart."
    if facts.configuration.settings?.storage.allowsVolatile == true {
      return .warning(
        evidence, means: means,
        fix: "sudoedit \(facts.configuration.path)   and remove storage.allow_volatile")
    }
    let fix =
      mount.fileSystem == "overlay" && mount.point == "/"
      ? "mount a data partition at \(path), with overlayroot=tmpfs:recurse=0"
      : "sudoedit \(facts.configuration.path)   and set storage.directory to a permanent file system"
    // raspi-config switches its own overlay off, and nothing else.
    let isOverlay = mount.fileSystem == "overlay" && facts.host.isRaspberryPi
    return .error(
      Finding.Complaint(
        evidence, means: means,
        fix: [fix] + (isOverlay ? ["sudo raspi-config nonint do_overlayfs 1 && sudo reboot"] : [])))
  }

  private static func overlayRecursion(_ facts: SystemFacts) -> Finding {
    guard let path = directory(facts), let mount = facts.storage.mount(of: path) else {
      return noMount(facts)
    }
    let lost = "Records are lost at every restart."
    guard hasOverlayRoot(facts) else { return .ok("the root file system is not an overlay") }
    guard let setting = facts.host.boot.kernelValue("overlayroot") else {
      return mount.fileSystem == "overlay" && mount.point != "/"
        ? .error(
          "\(mount.point) is an overlay", means: lost,
          fix: "sudoedit /etc/overlayroot.conf   and set overlayroot=\"tmpfs:recurse=0\"")
        : .ok("\(mount.point) is \(mount.fileSystem)")
    }
    guard setting.hasPrefix("tmpfs"), !setting.contains("recurse=0") else {
      return .ok("overlayroot=\(setting)")
    }
    guard mount.fileSystem == "overlay", mount.point != "/" else {
      return .ok("overlayroot=\(setting); \(path) is on the file system of \(mount.point)")
    }
    let line = "overlayroot=tmpfs:recurse=0"
    let file = facts.host.boot.commandLinePath
    return .error(
      Finding.Complaint(
        "overlayroot=\(setting) covers \(mount.point), too", means: lost,
        fix: facts.host.isRaspberryPi || facts.host.boot.configurationPath != nil
          ? [
            "sudo sed -i 's/overlayroot=tmpfs[^ ]*/\(line)/' \(file)",
            "sudoedit \(file)   and write \(line)",
          ] : ["sudoedit /etc/default/grub   and write \(line), then run: sudo update-grub"]))
  }

  private static func readOnly(_ facts: SystemFacts) -> Finding {
    guard let path = directory(facts), let mount = facts.storage.mount(of: path) else {
      return noMount(facts)
    }
    guard mount.options.contains("ro") else { return .ok("\(mount.point) is writable") }
    return .error(
      "\(mount.point) (\(mount.source)) is read-only", means: "Nothing is logged.",
      fix: "sudo mount -o remount,rw \(mount.point)", "sudo dmesg | grep -i 'remount\\|I/O error'")
  }

  private static func freeSpace(_ facts: SystemFacts) -> Finding {
    guard let settings = facts.configuration.settings else { return ConfigurationChecks.unread(facts) }
    guard let space = facts.storage.space.value, space.total > 0 else {
      return facts.storage.space.skipped(ifAbsent: "\(settings.storage.directory) does not exist yet")
    }
    let evidence = "\(size(space.free)) free of \(size(space.total))"
    if space.free < 20_000_000 {
      return .error(
        evidence, means: "The logger deletes old records, and soon unsent ones.",
        fix: "sudo apt clean && sudo journalctl --vacuum-size=50M", "sudo du -xh / | sort -h | tail -20")
    }
    if space.free < 200_000_000 || Double(space.free) < 0.05 * Double(space.total) {
      return .warning(
        evidence, means: "The system may stop working before the log is limited.",
        fix: "sudo apt clean && sudo journalctl --vacuum-size=50M", "sudo outrider set storage.limit=200MB")
    }
    return .ok(evidence)
  }

  /// A number of bytes as text, as in `1.5 GB`.
  static func size(_ bytes: Int64) -> String {
    let steps: [(Int64, String)] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")]
    guard let (unit, name) = steps.first(where: { bytes >= $0.0 }) else { return "\(max(bytes, 0)) B" }
    let tenths = bytes / (unit / 10)
    return tenths >= 100 ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
  }
}
