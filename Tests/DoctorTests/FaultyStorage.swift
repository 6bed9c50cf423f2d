import Doctor
import Medium

/// Faults of storage and journal.
enum FaultyStorage {
  private static func mount(_ point: String, _ fileSystem: String, _ options: Set<String> = ["rw"]) -> Mount {
    Mount(point: point, fileSystem: fileSystem, source: fileSystem, device: "0:30", options: options)
  }

  /// The life of the medium by the logger's status; `percent` is of `storage.endurance`.
  private static func life(_ percent: Int?, days: Int?) -> MediumLifeReport {
    var life = MediumLifeReport()
    (life.usedPercent, life.isByEndurance, life.daysLeft) = (percent, percent != nil, days)
    return life
  }

  static let cases: [CheckCase] = [
    CheckCase("tiles", "error", "is damaged", last: "map.tiles=off") { facts in
      facts.configuration.settings = try SoundSystem.settings("{ map: { tiles: '/map.mbtiles' } }")
      facts.storage.tiles = .known(.init(fault: "map.tiles: /map.mbtiles: the file is damaged"))
    },
    CheckCase("tiles", "warning", "does not contain the last position", remedy: "region") { facts in
      facts.configuration.settings = try SoundSystem.settings("{ map: { tiles: '/map.mbtiles' } }")
      facts.storage.tiles = .known(.init(bounds: [13, 52, 14, 53]))
      facts.report.lastFix?.latitude = 48
      facts.report.lastFix?.longitude = 13.5
    },
    CheckCase("tiles", "ok", "/map.mbtiles") { facts in
      facts.configuration.settings = try SoundSystem.settings("{ map: { tiles: '/map.mbtiles' } }")
      facts.storage.tiles = .known(.init(bounds: [13, 52, 14, 53]))
      facts.report.lastFix?.latitude = 52.5
      facts.report.lastFix?.longitude = 13.5
    },
    CheckCase("tiles", "skipped", "may not read") { facts in
      facts.configuration.settings = try SoundSystem.settings("{ map: { tiles: '/map.mbtiles' } }")
      facts.storage.tiles = .hidden("/map.mbtiles: this user may not read it")
    },
    CheckCase("volatile", "error", "tmpfs at /var/lib", without: "raspi-config") {
      $0.storage.mounts.append(mount("/var/lib", "tmpfs"))
    },
    CheckCase("volatile", "error", "an overlay at /", last: "raspi-config nonint do_overlayfs 1") {
      $0.storage.mounts = [mount("/", "overlay")]
    },
    CheckCase("volatile", "error", "an overlay at /", without: "raspi-config") { facts in
      facts.storage.mounts = [mount("/", "overlay")]
      facts.host.model = nil
    },
    CheckCase(
      "overlay-recursion", "error", "covers /var/lib/outrider", remedy: "/boot/firmware/cmdline.txt"
    ) { facts in
      facts.storage.mounts = [mount("/", "overlay"), mount("/var/lib/outrider", "overlay")]
      facts.host.boot = BootFiles(path: nil, configuration: "", kernelLine: "overlayroot=tmpfs rootwait")
    },
    CheckCase(
      "overlay-recursion", "error", "covers /var/lib/outrider", remedy: "/boot/cmdline.txt",
      without: "/boot/firmware"
    ) { facts in
      facts.storage.mounts = [mount("/", "overlay"), mount("/var/lib/outrider", "overlay")]
      facts.host.boot = BootFiles(
        path: "/boot/config.txt", configuration: "", kernelLine: "overlayroot=tmpfs rootwait")
    },
    CheckCase(
      "overlay-recursion", "error", "covers /var/lib/outrider", remedy: "update-grub",
      without: "cmdline.txt"
    ) { facts in
      facts.storage.mounts = [mount("/", "overlay"), mount("/var/lib/outrider", "overlay")]
      facts.host.model = nil
      facts.host.boot = BootFiles(path: nil, configuration: "", kernelLine: "overlayroot=tmpfs rootwait")
    },
    CheckCase("overlay-recursion", "ok", "recurse=0") { facts in
      facts.storage.mounts = [mount("/", "overlay"), mount("/var/lib/outrider", "ext4")]
      facts.host.boot = BootFiles(path: nil, configuration: "", kernelLine: "overlayroot=tmpfs:recurse=0")
    },
    CheckCase("read-only", "error", "is read-only") { $0.storage.mounts = [mount("/", "ext4", ["ro"])] },
    CheckCase("storage-permission", "error", "belongs to root") { facts in
      facts.storage.directory = .known(FileNode(mode: 0o755, user: 0, group: 0))
    },
    CheckCase("free-space", "error", "1.0 MB free") { facts in
      facts.storage.space = .known(StorageFacts.Space(free: 1_000_000, total: 8_000_000_000))
    },
    CheckCase("free-space", "warning", "150 MB free") { facts in
      facts.storage.space = .known(StorageFacts.Space(free: 150_000_000, total: 8_000_000_000))
    },
    CheckCase("fs-errors", "error", "2 errors") { $0.storage.fileSystemErrors = .known(2) },
    CheckCase("noatime", "warning", "without noatime") { $0.storage.mounts = [mount("/", "ext4")] },
    CheckCase("wear", "error", "over 100 %") {
      $0.storage.wear = .known(MediumWear(lifeTime: 11, endOfLife: 1))
    },
    CheckCase("wear", "warning", "80 %") {
      $0.storage.wear = .known(MediumWear(lifeTime: 8, endOfLife: 1))
    },
    CheckCase("wear", "skipped", "does not report its wear; set storage.endurance") {
      $0.storage.wear = .absent
    },
    CheckCase("wear", "skipped", "no estimate yet") { facts in
      facts.storage.wear = .absent
      facts.configuration.settings?.storage.enduranceBytes = 30_000_000_000_000
    },
    CheckCase("wear", "ok", "mmcblk0: 40 % of storage.endurance used, 2190 days left") { facts in
      facts.storage.wear = .absent
      facts.report.medium = life(40, days: 2190)
    },
    CheckCase("wear", "ok", "mmcblk0: 40 % of storage.endurance used") { facts in
      facts.storage.wear = .absent
      facts.report.medium = life(40, days: nil)
    },
    CheckCase("wear", "ok", "at most 10 % of its life used, 90 days left") { facts in
      facts.report.medium = life(nil, days: 90)
    },
    CheckCase("wear", "warning", "89 days left", remedy: "replace the medium") { facts in
      facts.storage.wear = .absent
      facts.report.medium = life(40, days: 89)
    },
    CheckCase("wear", "warning", "90 % of storage.endurance used", remedy: "replace the medium") { facts in
      facts.storage.wear = .absent
      facts.report.medium = life(90, days: nil)
    },
    CheckCase("wear", "error", "over 100 %") { facts in
      facts.storage.wear = .known(MediumWear(lifeTime: 11, endOfLife: 1))
      facts.report.medium = life(40, days: 2190)
    },
    CheckCase("bytes-per-day", "warning", "GB per day") { $0.service.process?.writtenBytes = 400_000_000 },
    CheckCase("flush-latency", "warning", "900 ms") { facts in
      facts.storage.flushes = .known(StorageFacts.Flushes(count: 100, milliseconds: 90_000))
    },
    CheckCase("log-integrity", "error", "Input/output error") { $0.report.logFault = "Input/output error" },
    CheckCase(
      "log-integrity", "error", "malformed",
      remedy: "cp -a /var/lib/outrider /var/lib/outrider.backup && sudo systemctl start", without: "restart"
    ) {
      $0.storage.logFault = .known("outrider.db: malformed")
    },
    CheckCase("log-integrity", "warning", "salvaged") { facts in
      facts.logger.events = .known([LoggedEvent(kind: "log_salvaged", sentence: "the log was salvaged")])
    },
    CheckCase("journal-persistent-and-bounded", "warning", "in memory") { facts in
      (facts.storage.journal, facts.storage.hasJournalDirectory) = ([:], false)
    },
    CheckCase("journal-persistent-and-bounded", "warning", "3.1 GB") { $0.storage.journal = [:] },
    CheckCase("journal-persistent-and-bounded", "ok", "read-only root") { facts in
      facts.storage.journal = ["Storage": "volatile"]
      facts.storage.mounts = [mount("/", "overlay")]
    },
  ]
}
