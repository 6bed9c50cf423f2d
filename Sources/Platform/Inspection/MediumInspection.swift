import Medium

/// The block device behind a mount.
struct BlockDevice {
  /// The name of the partition, as in `mmcblk0p2`; that of the disk if it has none.
  let partition: String
  /// The name of the disk, as in `mmcblk0`.
  let disk: String

  /// Reads the kernel's link from the device numbers to its directory; nil if the mount has no block device.
  init?(_ tree: FileTree, _ mount: Mount) {
    guard let link = tree.link("/sys/dev/block/\(mount.device)") else { return nil }
    let parts = link.split(separator: "/").map(String.init)
    guard let partition = parts.last else { return nil }
    let above = parts.dropLast().last ?? "block"
    self.partition = partition
    disk = above == "block" ? partition : above
  }

  /// The wear that an eMMC reports; nil for other media.
  func wear(_ tree: FileTree) -> MediumWear? {
    tree.line("/sys/block/\(disk)/device/life_time").flatMap { lifeTime in
      MediumWear(lifeTime: lifeTime, endOfLife: tree.line("/sys/block/\(disk)/device/pre_eol_info"))
    }
  }
}

extension MediumReport {
  /// Reads what the medium of a directory and its file system report. Values that the kernel does not give are nil.
  ///
  /// ext4 and f2fs count the KiB written in their life (Documentation/ABI/testing/sysfs-fs-ext4, sysfs-fs-f2fs).
  public init(_ tree: FileTree, directory: String) {
    self.init()
    guard let mount = Mount.holding(directory, of: Mount.all(tree.text("/proc/self/mountinfo") ?? "")),
      let device = BlockDevice(tree, mount)
    else { return }
    disk = device.disk
    wear = device.wear(tree)
    guard ["ext4", "f2fs"].contains(mount.fileSystem) else { return }
    let count = tree.integer("/sys/fs/\(mount.fileSystem)/\(device.partition)/lifetime_write_kbytes")
    lifetimeBytes = count.flatMap { count in
      let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: 1024)
      return isTooLarge || bytes < 0 ? nil : bytes
    }
  }
}
