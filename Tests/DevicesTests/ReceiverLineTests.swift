import EventLoop
import Foundation
import GNSSProtocol
import GNSSReceiver
import Quantities
import System
import Testing
@testable import Devices

/// The line in a real loop; each test runs until its condition is met or a deadline has passed.
@Suite(.serialized) final class ReceiverLineTests {
  let loop: EventLoop
  let directory: String
  /// Path of the line: a symbolic link, like those of udev.
  let port: String
  private var fixes: [Fix] = []
  private var notices: [LineNotice] = []

  init() throws {
    loop = try EventLoop(simulating: SimulatedClock(timestamp: Timestamp(milliseconds: 1_782_000_000_000)))
    directory = NSTemporaryDirectory() + "/line-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    port = directory + "/receiver"
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func plug(_ terminal: PseudoTerminal) throws {
    try? FileManager.default.removeItem(atPath: port)
    try FileManager.default.createSymbolicLink(atPath: port, withDestinationPath: terminal.path)
  }

  private func line(_ speed: ReceiverSpeed = .automatic) -> ReceiverLine {
    let line = ReceiverLine(loop: loop, path: port, settings: DialogueSettings(control: .none, speed: speed))
    // A callback may query the statistics immediately.
    line.onEpoch = { [unowned self, unowned line] fix, _ in
      #expect(line.statistics.epochs > 0)
      fixes.append(fix)
    }
    line.outputs.notice = { [unowned self, unowned line] notice in
      _ = (line.statistics, line.provenSpeed)
      notices.append(notice)
    }
    return line
  }

  private var lost: [SystemError] {
    notices.compactMap { if case .lost(let error) = $0 { error } else { nil } }
  }

  /// Runs the loop until `isMet`; records an issue after three seconds.
  private func wait(
    at location: SourceLocation = #_sourceLocation, until isMet: @escaping () -> Bool
  ) throws {
    let deadline = loop.addTimer("deadline") { [loop] _ in loop.stop() }
    deadline.arm(at: loop.now + .seconds(3))
    defer { loop.removeTimer(deadline) }
    var wasMet = false
    loop.everyTurn { [loop] now in
      guard !wasMet, isMet() else { return }
      wasMet = true
      loop.stop()
    }
    try loop.run()
    #expect(wasMet, sourceLocation: location)
  }

  @Test func epochsArriveAndTheSpeedIsProven() throws {
    let terminal = try PseudoTerminal()
    try plug(terminal)
    let talker = Talker(loop: loop, terminal: terminal)
    let line = line()
    line.start()
    try wait { [unowned self] in fixes.count >= 12 }
    #expect(line.provenSpeed == 9600)
    #expect(notices == [.dialogue(.found(speed: 9600))])
    #expect(fixes.allSatisfy { $0.kind == .threeDimensional && $0.timestamp != nil })
    let times = fixes.compactMap(\.millisecondOfDay)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 100 })
    #expect(line.statistics.discardedBytes == 0)
    #expect(talker.epochs >= 12)
  }

  @Test func collectedEpochsArriveTogetherEachWithItsOwnMoment() throws {
    let terminal = try PseudoTerminal()
    try plug(terminal)
    let talker = Talker(loop: loop, terminal: terminal)
    let line = line()
    var moments: [Moment] = []
    var (turn, readings) = (0, Set<Int>())
    loop.everyTurn { _ in turn += 1 }
    line.onEpoch = { [unowned self] fix, moment in
      fixes.append(fix)
      moments.append(moment)
      readings.insert(turn)
    }
    line.start()
    try wait { [unowned self] in fixes.count >= 8 && line.pacing.isPacing }
    line.coalesceEpochs(for: .milliseconds(500))
    let before = fixes.count
    readings = []
    try wait { [unowned self] in fixes.count >= before + 18 }
    #expect(readings.count <= 8, "\(line.pacing)")
    let times = fixes.compactMap(\.millisecondOfDay)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 100 })
    let steps = zip(moments, moments.dropFirst()).map { ($1 - $0).wholeMilliseconds }
    #expect(steps.dropFirst(before).allSatisfy { (50...200).contains($0) }, "\(steps)")

    // A query reads the collected epochs immediately. The kernel passes on the last one later.
    let read = fixes.count
    let sent = talker.epochs
    try wait { talker.epochs >= sent + 2 }
    talker.terminal = nil
    #expect(fixes.count == read)
    line.catchUp(now: loop.now)
    #expect(fixes.count > read && (talker.epochs - 1...talker.epochs).contains(fixes.count))
    #expect(moments.allSatisfy { $0 <= loop.now })
  }

  @Test func aMissingPortIsReportedOnceAndOpenedWhenItAppears() throws {
    let line = line()
    line.start()
    #expect(lost.map(\.number) == [ENOENT])
    let terminal = try PseudoTerminal()
    let talker = Talker(loop: loop, terminal: terminal)
    // Plugged in after the second attempt has failed as well.
    let plugging = loop.addTimer("plug in") { [unowned self] _ in try? plug(terminal) }
    plugging.arm(at: loop.now + .milliseconds(700))
    try wait { [unowned self] in !fixes.isEmpty }
    #expect(lost.count == 1)
    #expect(line.isOpen)
    withExtendedLifetime(talker) {}
  }

  @Test func aLineThatVanishesDuringAnEpochIsReopenedByItsPath() throws {
    let talker = Talker(loop: loop, terminal: try PseudoTerminal())
    try plug(try #require(talker.terminal))
    let line = line(.fixed(9600))
    line.start()
    try wait { [unowned self] in fixes.count >= 5 }
    talker.isCutOff = true
    let cutAt = talker.epochs
    try wait { talker.epochs > cutAt }
    talker.terminal = nil
    try wait { [unowned self] in !lost.isEmpty }
    #expect(!line.isOpen)
    #expect(line.provenSpeed == nil)
    let before = fixes.count
    talker.isCutOff = false
    let terminal = try PseudoTerminal()
    try plug(terminal)
    talker.terminal = terminal
    try wait { [unowned self] in fixes.count >= before + 5 }
    #expect(lost.count == 1)
    #expect(line.provenSpeed == 9600)
    let times = fixes.compactMap(\.millisecondOfDay)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
  }

  /// A pseudo-terminal keeps data that was written before a baud rate was set.
  @Test func dataFromBeforeTheOpeningIsReadAndProvesNoBaudRate() throws {
    let terminal = try PseudoTerminal()
    try plug(terminal)
    for epoch in 1...3 { _ = terminal.write(Talker.epoch(epoch)) }
    let line = line()
    line.start()
    try wait { [unowned self] in fixes.count == 3 }
    #expect(line.provenSpeed == nil && notices.isEmpty)
    let talker = Talker(loop: loop, terminal: terminal)
    try wait { line.provenSpeed == 9600 }
    talker.terminal = nil
  }

  @Test func anUnstableLineIsReopenedWithBackOff() throws {
    let talker = Talker(loop: loop, terminal: try PseudoTerminal())
    try plug(try #require(talker.terminal))
    let line = line(.fixed(9600))
    line.start()
    for pause in [Duration.milliseconds(500), .seconds(1)] {
      let before = fixes.count
      try wait { [unowned self] in fixes.count > before }
      let losses = lost.count
      let cutAt = loop.now
      talker.terminal = nil
      try wait { [unowned self] in lost.count > losses }
      let terminal = try PseudoTerminal()
      try plug(terminal)
      talker.terminal = terminal
      try wait { line.isOpen }
      #expect(loop.now - cutAt >= pause)
    }
    #expect(lost.count == 2)
  }

  @Test func unpluggingIsDetectedWhileReadingIsDeferred() throws {
    let talker = Talker(loop: loop, terminal: try PseudoTerminal())
    try plug(try #require(talker.terminal))
    let line = line()
    line.start()
    try wait { [unowned self] in fixes.count >= 15 }
    talker.terminal = nil
    let unplugged = loop.now
    try wait { [unowned self] in !lost.isEmpty }
    #expect(loop.now - unplugged < .milliseconds(50))
  }

  @Test func aPortInUseIsReportedAndOpenedWhenItIsFree() throws {
    let terminal = try PseudoTerminal()
    try plug(terminal)
    var other: SerialPort? = try SerialPort(path: terminal.path, speed: 9600, access: .readOnly)
    let talker = Talker(loop: loop, terminal: terminal)
    let line = line()
    line.start()
    #expect(lost.count == 1)
    #expect(lost.allSatisfy { [EBUSY, EWOULDBLOCK].contains($0.number) })
    #expect(!line.isOpen)
    withExtendedLifetime(other) {}
    other = nil
    try wait { [unowned self] in !fixes.isEmpty }
    withExtendedLifetime(talker) {}
  }

  @Test func theBaudRateIsFoundAgainWhenTheReceiverChangesIt() throws {
    let talker = Talker(loop: loop, terminal: try PseudoTerminal())
    talker.speed = 38_400
    try plug(try #require(talker.terminal))
    let line = line()
    line.start()
    try wait { line.provenSpeed == 38_400 }
    #expect(notices == [.dialogue(.found(speed: 38_400))])
    talker.speed = 9600
    try wait { line.provenSpeed == 9600 }
    #expect(notices == [.dialogue(.found(speed: 38_400)), .dialogue(.found(speed: 9600))])
  }

  @Test func noiseAtTheConfiguredBaudRateIsReportedOnce() throws {
    let talker = Talker(loop: loop, terminal: try PseudoTerminal())
    talker.speed = 1
    try plug(try #require(talker.terminal))
    let line = line(.fixed(4800))
    line.start()
    try wait { line.statistics.discardedBytes > 8000 }
    #expect(notices == [.dialogue(.garbled(hasSpeed: true))])
    #expect(line.provenSpeed == nil)
  }

  @Test func nothingIsLostInAFlood() throws {
    let terminal = try PseudoTerminal()
    try plug(terminal)
    let line = line()
    var bytes = (1...3000).flatMap(Talker.epoch)[...]
    let writer = loop.addTimer("writer") { _ in }
    loop.everyTurn { now in
      guard !bytes.isEmpty else { return }
      bytes = bytes.dropFirst(terminal.write(bytes.prefix(4000)))
      writer.arm(at: now + .milliseconds(1))
    }
    line.start()
    try wait { [unowned self] in fixes.count == 3000 }
    #expect(line.statistics.discardedBytes == 0)
  }

  @Test func aStoppedLineReleasesTheLoopAndThePort() throws {
    let terminal = try PseudoTerminal()
    try plug(terminal)
    let talker = Talker(loop: loop, terminal: terminal)
    do {
      let line = line()
      line.start()
      try wait { [unowned self] in !fixes.isEmpty }
    }
    let before = fixes.count
    let sent = talker.epochs
    try wait { talker.epochs > sent + 3 }
    #expect(fixes.count == before)
    _ = try SerialPort(path: port, speed: 9600, access: .readOnly)
  }
}
