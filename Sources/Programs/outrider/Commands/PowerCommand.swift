import Chips
import Daemon
import Devices
import Glibc
import LocalAPI
import Quantities
import Settings
import System

/// `outrider power`: shows the power manager, or tests its alarm and its cut.
enum PowerCommand: Command {
  static let name = "power"
  static let group = CommandGroup.analyse
  static let summary = "show the board that cuts the supply, or test it"
  static let description = CommandDescription(
    text: [
      """
      Shows what power_manager says: model and firmware, its time, the reason of the last start, the dead-man timer, and \
      whether a cut is armed.
      """,
      """
      With --test the board is armed as before a sleep: the dead-man timer, the alarm in two minutes, the cut. Each is \
      read back. Then the host shuts down. After the start, the event host_woke of the logger must have the cause alarm. \
      Stop the logger first.
      """,
    ],
    options: [
      .flag("--test", text: "cut the supply and restore it after two minutes; as root"),
      .value(
        "--off", "HOURS",
        text: "shut down by hand: cut the supply and restore it after these hours; as root"),
    ] + ConfigurationFiles.options,
    exitStatus:
      "0 success; 1 the board does not answer, or a step of the test fails; 2 misuse or invalid configuration"
  )

  /// The time without supply in a test.
  private static let testTime = Duration.seconds(120)

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 0)
    let configuration: Configuration
    do { configuration = try ConfigurationFiles(arguments).read() } catch {
      Console.complain("\(error)")
      return 2
    }
    guard let manager = configuration.powerManager else {
      Console.complain(
        "power: no power_manager is configured; list the boards that answer with outrider doctor i2c")
      return 1
    }
    guard case .chip(let chip, let path)? = manager.part, let part = PowerManagerPart.named(chip),
      let address = manager.address.map({ I2CAddress($0) }) ?? part.addresses.first
    else { return latch(manager) }
    let location = PartLocation(name: chip, path: path, address: address)
    var time: Duration?
    if arguments.has("--test") { time = testTime }
    if let text = arguments.value("--off") {
      guard let hours = Double(text), (0.1...600).contains(hours) else {
        throw Arguments.Misuse(message: "--off: expected hours from 0.1 to 600, got \"\(text)\"")
      }
      time = .seconds(hours * 3600)
    }
    let board: any PowerManager
    do throws(ChipError) {
      let bus: any I2CBus
      do throws(I2CError) { bus = try LinuxI2CBus.opening(path, for: address) } catch { throw .bus(error) }
      board = part.make(bus, address)
      try show(board, location)
    } catch {
      Console.complain("power: \(location.words): \(error.words)")
      return 1
    }
    return try time.map { try cut(for: $0, board, manager, configuration, location) } ?? 0
  }

  private static func latch(_ manager: PowerManagerSettings) -> Int32 {
    if let fault = LatchRelease.fault() {
      Console.complain("power: \(fault)")
      return 1
    }
    Console.print(
      "latch: the kernel releases it at the end of a shutdown; test the alarm with outrider doctor alarm")
    return 0
  }

  private static func show(_ board: any PowerManager, _ location: PartLocation) throws(ChipError) {
    let model = try board.identify()
    Console.print("\(location.words): \(model.name), firmware \(model.firmware)")
    if let objection = model.objection { Console.print("  must not cut the supply: \(objection)") }
    let clock = Result { () throws(ChipError) in try board.seconds() }
    switch clock {
    case .success(let seconds):
      let time = Timestamp(milliseconds: 946_684_800_000) + .seconds(seconds)
      Console.print("  its clock shows \(time.iso8601())")
    case .failure(let error): Console.print("  its clock: \(error.words)")
    }
    Console.print("  last start: \(try board.startReason().word)")
    do throws(ChipError) {
      Console.print("  dead-man timer: \(try board.deadMan().map { "\($0.wholeSeconds) s" } ?? "off")")
    } catch { Console.print("  dead-man timer: \(error.words)") }
    Console.print("  cut armed: \(try board.isCutArmed() ? "yes" : "no")")
  }

  /// Runs `systemctl poweroff`; false if it fails.
  private static func shutDown() -> Bool {
    guard let program = try? ChildProgram("/usr/bin/systemctl", ["poweroff"], input: []) else { return false }
    return program.waitForEnd(atMost: .seconds(15)) == .exited(status: 0)
  }

  /// Cuts the supply for a time. The host shuts down only if every step is read back.
  private static func cut(
    for time: Duration, _ board: any PowerManager, _ manager: PowerManagerSettings,
    _ configuration: Configuration,
    _ location: PartLocation
  ) throws -> Int32 {
    guard geteuid() == 0 else {
      Console.complain("power: this shuts the host down; run it as root")
      return 1
    }
    // Without its socket it is still seen, by its lock.
    if (try? LocalCall.ask(configuration.api.socket, .get, "/status")) != nil
      || StorageLock.isHeld(in: configuration.storage.directory)
    {
      Console.complain("power: the logger is running; stop it first: systemctl stop outrider")
      return 1
    }
    let request = PowerDown.Request(
      time: time, cutAfter: manager.cutAfter, deadMan: manager.deadMan, provenAlarms: PowerDown.provenAfter)
    var sequence = PowerDown(request, on: board)
    let first = sequence.begin()
    if case .stayUp(let refusal) = end(of: &sequence, first, on: board) {
      Console.complain("power: \(location.words): \(refusal.text)")
      return 1
    }
    Console.print(
      "  armed: the supply is cut in \(manager.cutAfter.wholeSeconds) s, and restored by the alarm after "
        + "\(time.wholeSeconds) s")
    guard !shutDown() else { return 0 }
    let off = sequence.callOff()
    let text: String
    if case .stayUp(.mayBeCut(let error)) = end(of: &sequence, off, on: board) {
      text = PowerDown.Refusal.mayBeCut(error).text
    } else {
      text = "the cut was called off"
    }
    Console.complain("power: systemctl poweroff failed; \(text)")
    return 1
  }

  /// Carries a sequence out: the host goes down, or stays up.
  private static func end(
    of sequence: inout PowerDown, _ first: PowerDown.Action, on board: any PowerManager
  ) -> PowerDown.Action {
    var action = first
    while true {
      let next: PowerDown.Action?
      switch action {
      case .perform(let step): next = sequence.take(step.perform(on: board), now: SystemClock.moment())
      case .wait(let until):
        let left = max(until - SystemClock.moment(), .zero)
        poll(nil, 0, Int32(clamping: Int64(left.inSeconds * 1000) + 1))
        next = sequence.handleTimeout(now: SystemClock.moment())
      case .goDown, .stayUp: return action
      }
      action = next ?? .wait(until: SystemClock.moment() + .milliseconds(10))
    }
  }
}
