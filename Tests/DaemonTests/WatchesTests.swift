import Devices
import Foundation
import GNSSProtocol
import Quantities
import Records
import TestSupport
import Testing
@testable import Daemon
@testable import Store

/// Conditions that are reported when they start and when they end.
@Suite struct WatchesTests {
  // MARK: The first fix

  static func fix(_ hasPosition: Bool = true) -> Fix {
    var fix = Fix()
    fix.kind = hasPosition ? .threeDimensional : .none
    if hasPosition { (fix.latitude, fix.longitude) = (52.5, 13.4) }
    return fix
  }

  static func at(_ second: Int64) -> Moment { .zero + .seconds(second) }

  @Test func theFirstFixOfEveryStartIsReportedWithItsDuration() {
    var watch = FirstFixWatch(now: Self.at(10))
    var reported: [EventRecord] = []
    func take(_ second: Int64, _ hasPosition: Bool = true) {
      if let event = watch.take(Self.fix(hasPosition), now: Self.at(second)) { reported.append(event) }
    }
    watch.received(EventRecord(.receiverFound), now: Self.at(12))
    take(20, false)
    take(38)
    take(39)
    watch.received(EventRecord(.receiverFault), now: Self.at(50))
    take(51)
    watch.received(EventRecord(.receiverRestarted), now: Self.at(100))
    take(101, false)
    take(103)
    watch.received(EventRecord(.receiverLost), now: Self.at(200))
    take(201)
    watch.received(EventRecord(.receiverFound), now: Self.at(300))
    take(304)
    watch.trackingBegan(now: Self.at(400))
    take(402)
    #expect(
      reported == [
        EventRecord(.firstFix, [.duration: 28, .cause: "program_start"]),
        EventRecord(.firstFix, [.duration: 3, .cause: "receiver_start"]),
        EventRecord(.firstFix, [.duration: 4, .cause: "data_returned"]),
        EventRecord(.firstFix, [.duration: 2, .cause: "tracking_on"]),
      ])
  }

  /// The first epoch may be complete before the receiver is reported as found.
  @Test func aReceiverFoundAfterItsFirstFixWasNotAbsent() {
    var watch = FirstFixWatch(now: Self.at(10))
    var reported: [EventFields] = []
    func take(_ second: Int64) {
      if let event = watch.take(Self.fix(), now: Self.at(second)) { reported.append(event.fields) }
    }
    func receive(_ kind: EventKind, _ second: Int64) {
      watch.received(EventRecord(kind), now: Self.at(second))
    }
    take(12)
    receive(.receiverFound, 13)
    take(14)
    #expect(reported == [[.duration: 2, .cause: "program_start"]])
    for (number, kind) in [EventKind.receiverSilent, .receiverLost, .receiverGarbled].enumerated() {
      let second = Int64(100 * (number + 1))
      receive(kind, second)
      receive(.receiverFound, second + 50)
      take(second + 53)
      receive(.receiverFound, second + 60)
      take(second + 61)
      #expect(reported.dropFirst(number + 1) == [[.duration: 3, .cause: "data_returned"] as EventFields])
    }
    // Silent at the next start, and the first fix is again before the report.
    watch.trackingBegan(now: Self.at(500))
    receive(.receiverSilent, 520)
    take(540)
    receive(.receiverFound, 541)
    take(542)
    #expect(reported.dropFirst(4) == [[.duration: 40, .cause: "tracking_on"] as EventFields])
  }

  // MARK: Free space

  static let limit: Int64 = 100 << 20

  @Test func aShortageOfSpaceIsReportedOnceUntilItEnds() {
    var watch = StorageRoomWatch()
    let reported = [50, 89, 90, 95, 89, 80, 79, 85].compactMap { (unsent: Int64) in
      watch.take(StorageRoom(unsent: unsent << 20, limit: Self.limit))
    }
    #expect(reported.map(\.kind) == [.storageNearlyFull, .storageHasRoom])
    #expect(reported.map(\.value) == [10 << 20, 21 << 20])
    #expect(reported.first?.fields == [.freeBytes: 10_485_760, .cause: "limit"])
  }

  /// A file system of 4 GiB requires 32 MiB of free space, one of 100 MiB a twentieth of its size.
  @Test(arguments: [(4096, 32, 48), (100, 5, 8)] as [(Int64, Int64, Int64)])
  func aNearlyFullFileSystemIsReportedTheSameWay(capacity: Int64, least: Int64, enough: Int64) {
    var watch = StorageRoomWatch()
    let reported = [2 * least, least, least - 1, least, enough - 1, enough, least].compactMap { free in
      watch.take(StorageRoom(unsent: 0, limit: nil, free: free << 20, capacity: capacity << 20))
    }
    #expect(reported.map(\.kind) == [.storageNearlyFull, .storageHasRoom])
    #expect(reported.map(\.value) == [(least - 1) << 20, enough << 20])
    #expect(reported.first?.fields.text(.cause) == "file_system")
  }

  @Test func unknownSpaceIsNotReported() {
    var watch = StorageRoomWatch()
    #expect(watch.take(StorageRoom(unsent: .max)) == nil)
  }

  @Test func aSmallerFileAndAnObstacleAreNoticedOnce() {
    var watch = StorageRoomWatch()
    func notice(file: Int64, _ obstacle: ShrinkObstacle? = nil) -> String? {
      let last = watch.room
      var room = StorageRoom(unsent: 0)
      (room.file, room.shrinkObstacle) = (file, obstacle)
      _ = watch.take(room)
      return watch.sizeNotice(since: last)
    }
    let obstacle = ShrinkObstacle.noRoom(needed: 80_000_000, free: 7_000_000)
    #expect(notice(file: 400_000_000) == nil)
    #expect(
      notice(file: 400_000_000, obstacle)
        == "the file of the log is larger than storage.limit: the copy needs 81 MB of free space, 7 MB are free; free "
        + "space on its file system")
    #expect(notice(file: 400_000_000, obstacle) == nil)
    #expect(
      notice(file: 60_000_000) == "the log was copied into a smaller file, from 400 to 60 MB")
    #expect(notice(file: 61_000_000) == nil)
  }

  // MARK: Backlogs

  static func queue(_ name: String, _ count: Int) -> LogStatus.Destination {
    LogStatus.Destination(name: name, acknowledged: .zero, queued: count)
  }

  @Test func aBacklogOfEveryDestinationIsReportedOnceUntilItEnds() {
    var watch = BacklogWatch()
    #expect(watch.take([Self.queue("home", 9999), Self.queue("work", 3)]).isEmpty)
    let over = watch.take([Self.queue("home", 10_000), Self.queue("work", 10_001)])
    #expect(
      over == [
        EventRecord(.backlogOver, [.destination: "home", .count: 10_000]),
        EventRecord(.backlogOver, [.destination: "work", .count: 10_001]),
      ])
    #expect(watch.take([Self.queue("home", 50_000), Self.queue("work", 5000)]).isEmpty)
    let under = watch.take([Self.queue("home", 10_000), Self.queue("work", 4999)])
    #expect(under == [EventRecord(.backlogUnder, [.destination: "work", .count: 4999])])
    // A destination that is removed and added again is another one.
    #expect(watch.take([]).isEmpty)
    #expect(watch.take([Self.queue("home", 10_000)]).count == 1)
  }

  // MARK: The board's supply

  /// Readings of the firmware, one every 20 min.
  static let readings: [(texts: [String], causes: [String])] = [
    (["0x0", "0x0"], []), (["0x50005", "0x50005", "0x50000"], ["now"]),
    (["0x50000", "0x50000"], ["since_boot"]),
    (["0x0", "0x10001", "0x10000", "0x10001"], ["now"]),
    (["0x10001", "0x10000", "0x10000", "0x10001"], ["now", "now"]),
    (["0x0", "nonsense", "", "0x10000"], ["since_boot"]),
    // High temperature only.
    (["0x80008", "0xe0008"], []),
  ]

  @Test(arguments: readings.indices) func aBrownOutIsReportedOnceWhileItLasts(_ index: Int) throws {
    let bench = try HTTPBench.simulated()
    let folder = bench.directory + "/sys/devices/platform/soc/soc:firmware"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("0x0\n".utf8).write(to: URL(fileURLWithPath: folder + "/get_throttled"))
    let supply = try #require(BoardSupply(root: bench.directory + "/sys"))
    var watch = BrownOutWatch()
    var reported: [EventRecord] = []
    for (number, text) in Self.readings[index].texts.enumerated() {
      try Data("\(text)\n".utf8).write(to: URL(fileURLWithPath: folder + "/get_throttled"))
      let now = Moment.zero + .seconds(1200 * number)
      if let event = supply.read().flatMap({ watch.take($0, now: now) }) { reported.append(event) }
    }
    #expect(reported.allSatisfy { $0.kind == .brownOut })
    #expect(reported.map { $0.fields.text(.cause) } == Self.readings[index].causes)
  }

  @Test func withoutTheFirmwareInterfaceTheKernelAlarmIsRead() throws {
    let bench = try HTTPBench.simulated()
    let root = bench.directory + "/sys"
    let none = BoardSupply(root: root)
    #expect(none?.read() == nil)
    for (number, name) in [(0, "cpu_thermal"), (3, "rpi_volt")] {
      let folder = "\(root)/class/hwmon/hwmon\(number)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data("\(name)\n".utf8).write(to: URL(fileURLWithPath: folder + "/name"))
    }
    let supply = try #require(BoardSupply(root: root))
    #expect(supply.read() == nil)
    for (text, isLow) in [("1\n", true), ("0\n", false)] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: root + "/class/hwmon/hwmon3/in0_lcrit_alarm"))
      #expect(supply.read() == BoardSupply.Reading(isLow: isLow, wasLow: isLow))
    }
  }

  // MARK: The logger

  static func events(in directory: String) throws -> [EventRecord] {
    try LogReader(directory: directory).records(after: .zero, limit: 1000).compactMap {
      if case .event(let event) = $0.record.body { event } else { nil }
    }
  }

  /// Not every container has a file system in memory.
  @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm"), "no /dev/shm"))
  func aLogOnAMemoryFileSystemIsReportedOnceAtTheStart() throws {
    let bench = try HTTPBench.simulated()
    let directory = "/dev/shm/outrider-test-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var configuration = try LoggerTests.configuration(bench, url: "http://127.0.0.1:1/", token: "a")
    configuration.storage.directory = directory
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.status.log.last_id > 0 && logger.status.log.waiting == 0 })
    logger.stop()
    let reported = try Self.events(in: directory).filter { $0.kind == .storageVolatile }
    #expect(reported == [EventRecord(volatile: directory, on: "tmpfs")])
  }

  @Test func aLogNearItsLimitIsAnEvent() throws {
    let bench = try HTTPBench.simulated()
    let configuration = try LoggerTests.configuration(bench, url: "http://127.0.0.1:1/", token: "a")
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.status.log.last_id > 0 && logger.status.log.waiting == 0 })
    // The reply of the worker after retention.
    logger.log.handle(.room(StorageRoom(unsent: 95, limit: 100)), now: bench.loop.now)
    logger.log.handle(.room(StorageRoom(unsent: 96, limit: 100)), now: bench.loop.now)
    logger.stop()
    let kinds = try Self.events(in: configuration.storage.directory).map(\.kind)
    #expect(kinds.filter { $0 == .storageNearlyFull }.count == 1)
    #expect(!kinds.contains(.storageHasRoom) && !kinds.contains(.backlogOver))
  }
}
