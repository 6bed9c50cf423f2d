/// The checks of the receiver's data.
enum ReceptionChecks {
  static let all: [Check] = [
    Check(
      "bytes", .receiver, "The receiver sends data.",
      advice: "Check supply and wiring: TXD of the receiver to RXD of the host.",
      after: ["port-exists", "port-permission"]
    ) { facts in
      if let report = facts.logger.report, let receiver = report.receiver {
        return bytes(receiver, isTracking: report.isTracking)
      }
      guard let received = facts.port.listening.value else {
        return facts.port.listening.skipped(ifAbsent: "doctor did not listen on the port")
      }
      if received.bytes > 0 { return .ok("\(received.bytes) bytes at \(received.baud) baud") }
      return .error(
        "no byte within the listening time", means: "The receiver is off, asleep or not wired to this port.",
        fix: "check supply and wiring: TXD of the receiver to RXD, pin 10 of a Raspberry Pi",
        "outrider doctor --only serial-console,uart-overlay,port-held")
    },
    Check(
      "frames", .receiver, "The data consists of valid frames.",
      advice: "Set `receiver.speed` to \"auto\" or the receiver's baud rate; check for a second reader.",
      after: ["serial-console", "port-held", "bytes"]
    ) { facts in
      if let receiver = facts.logger.report?.receiver { return frames(receiver) }
      guard let received = facts.port.listening.value else {
        return facts.port.listening.skipped(ifAbsent: "doctor did not listen on the port")
      }
      if received.frames > 0 { return .ok("\(received.frames) valid frames at \(received.baud) baud") }
      return .error(
        "\(received.bytes) bytes, but no valid frame",
        means: "The baud rate is wrong, or another program reads, too.",
        fix: "sudo outrider set receiver.speed=auto", "outrider decode --help")
    },
    Check(
      "identified", .receiver, "The receiver's family is known.",
      advice: "Connect RXD of the receiver, so that the logger can ask it. Reading works without.",
      after: ["frames"]
    ) { facts in
      guard let receiver = facts.logger.report?.receiver else { return facts.logger.withoutReport }
      if receiver.gpsdDevice != nil { return .skipped("gpsd controls the receiver") }
      if let name = receiver.module ?? receiver.family { return .ok(name) }
      if facts.configuration.settings?.receiver.control.rawValue == "none" {
        return .skipped("receiver.control is none")
      }
      return .warning(
        "the receiver does not identify itself",
        means: "It cannot sleep or be configured; positions are logged.",
        fix: "check the wire from TXD of the host (pin 8 of a Raspberry Pi) to RXD of the receiver")
    },
    Check(
      "configured", .receiver, "The receiver accepted its configuration.",
      advice: "Wait a minute after a start. If the state stays, read the journal.", after: ["identified"]
    ) { facts in
      guard let receiver = facts.logger.report?.receiver else { return facts.logger.withoutReport }
      if receiver.gpsdDevice != nil { return .skipped("gpsd controls the receiver") }
      guard let state = receiver.state else { return .skipped("the state of the session is unknown") }
      if ["running", "falling asleep", "asleep", "waking"].contains(state) { return .ok("state: \(state)") }
      if (facts.logger.report?.uptime ?? 0) < 120 {
        return .skipped("state: \(state); the logger has just started")
      }
      return .warning(
        "state: \(state)", means: "The receiver runs with its own settings.",
        fix: "journalctl -u outrider | grep receiver", "outrider why")
    },
    Check(
      "time-from-receiver", .receiver, "The logger has its time from the receiver.",
      advice: "Give the antenna a free view of the sky for some minutes.", after: ["frames"]
    ) { facts in
      guard let report = facts.logger.report else { return facts.logger.withoutReport }
      let quality = report.clockQuality ?? "none"
      if quality == "receiver" { return .ok("receiver") }
      if !report.isTracking { return .skipped("tracking is off") }
      return .warning(
        quality == "none" ? "the logger has no time yet" : "the logger's time is from: \(quality)",
        means: "Records keep their order, and get an exact date with the first fix.",
        fix: "outrider status --sky")
    },
    Check(
      "antenna", .receiver, "The receiver reports no fault of its antenna.",
      advice: "Check plug and cable. A passive antenna also reads as open on some modules."
    ) { facts in antenna(facts) },
    Check(
      "reception", .receiver, "The receiver has a fix, or lost it less than an hour ago.",
      advice: "Give the antenna a free view of the sky. Keep it away from USB 3 and HDMI cables.",
      after: ["frames"]
    ) { facts in
      guard let report = facts.logger.report, let receiver = report.receiver else {
        return facts.logger.withoutReport
      }
      guard let seconds = receiver.secondsWithoutFix else {
        return receiver.fix.map { .ok("fix: \($0)") } ?? withoutEpoch(receiver, report)
      }
      let satellites = receiver.satellites.map { ", \($0) satellites received" } ?? ""
      let minutes = Int(min(seconds, 1e9)) / 60
      guard seconds >= 3600 else { return .ok("no fix for \(minutes) min\(satellites)") }
      return .warning(
        "no fix for \(minutes / 60) h\(satellites)", means: "No position is logged.",
        fix: "outrider status --sky", "outrider why")
    },
    Check(
      "speed-for-rate", .receiver, "The baud rate is sufficient for the data.",
      advice: "Raise `receiver.target_speed`.", after: ["frames"]
    ) { facts in
      guard let report = facts.logger.report, let receiver = report.receiver else {
        return facts.logger.withoutReport
      }
      guard let baud = receiver.baud, baud > 0, let uptime = report.uptime, uptime > 60 else {
        return .skipped("the baud rate is unknown, or the logger has just started")
      }
      if facts.port.deviceName?.hasPrefix("ttyACM") == true { return .skipped("a USB port has no baud rate") }
      // A frame of NMEA has up to 82 bytes of ten bits each on the line (NMEA 0183).
      let load = Double(receiver.validFrames) / uptime * 820 / Double(baud)
      let percent = Int(min(load * 100, 999))
      guard load > 0.8 else { return .ok("\(baud) baud, \(percent) % used") }
      return .warning(
        "\(baud) baud, \(percent) % used", means: "Data arrives late, and epochs are lost.",
        fix: "sudo outrider set receiver.target_speed=115200")
    },
  ]

  /// The age of the last epoch from which the receiver counts as silent, in seconds. The logger itself starts recovery
  /// after as long without an epoch (`ReceiverWatch.withoutEpoch`); stored epochs arrive more often.
  private static let silenceSeconds: Double = 900

  private static func bytes(_ receiver: ReceiverReport, isTracking: Bool) -> Finding {
    if receiver.state == "asleep" || receiver.state == "falling asleep" {
      return .skipped("the receiver is asleep")
    }
    let isSilent = receiver.epochAge.map { $0 > silenceSeconds } ?? (receiver.validFrames == 0)
    if !isTracking, isSilent || !receiver.isOpen { return .skipped("tracking is off") }
    // The last epoch is then older than the sleep.
    if receiver.state == "waking", isSilent { return .skipped("the receiver is waking up") }
    guard receiver.isOpen else {
      return .error(
        "\(receiver.port) is not open", means: "The logger receives no data.",
        fix: receiver.gpsdDevice == nil
          ? "sudo outrider doctor --only port-exists,port-permission,port-held"
          : "outrider doctor --only gpsd-shared", "journalctl -u outrider -n 50")
    }
    if let age = receiver.epochAge, isSilent {
      return .error(
        "no epoch from \(receiver.port) for \(Int(min(age, 1e9)) / 60) min",
        means: "The receiver is off, hangs, lost its connection, or sends nothing that is used.",
        fix: "check supply and wiring: TXD of the receiver to RXD, pin 10 of a Raspberry Pi", "outrider why")
    }
    guard receiver.validFrames == 0 else {
      let age = receiver.epochAge.map { "; the last epoch \(Int(max($0, 0))) s ago" } ?? ""
      return .ok("\(receiver.validFrames) valid frames since the start\(age)")
    }
    let ignored = receiver.ignored.isEmpty ? "" : "; ignored: \(receiver.ignored.words)"
    return .error(
      "no valid frame from \(receiver.port) since the start\(ignored)",
      means: "The receiver is off, not wired to this port, or sends at another baud rate.",
      fix: "check supply and wiring: TXD of the receiver to RXD, pin 10 of a Raspberry Pi", "outrider why")
  }

  /// The finding before the first epoch: input that is ignored shows that the receiver is awake.
  private static func withoutEpoch(_ receiver: ReceiverReport, _ report: LoggerReport) -> Finding {
    let isAsleep = receiver.state == "asleep" || receiver.state == "falling asleep"
    guard report.isTracking, !isAsleep, !receiver.ignored.isEmpty else {
      return .skipped("no epoch yet; the receiver may be asleep")
    }
    guard (report.uptime ?? 0) >= 120 else { return .skipped("no epoch yet; the logger has just started") }
    let isShared = receiver.gpsdDevice != nil
    let valid = "\(receiver.validFrames) \(isShared ? "reports of gpsd" : "valid frames")"
    return .warning(
      "no epoch yet, \(valid); ignored: \(receiver.ignored.words)", means: "No position is logged.",
      fix: isShared
        ? "check with gpsmon or cgps if gpsd has a receiver"
        : "check that receiver.port is the line of a receiver, and that it sends RMC and GGA, or UBX NAV-PVT",
      "outrider status")
  }

  private static func frames(_ receiver: ReceiverReport) -> Finding {
    let (valid, wrong) = (receiver.validFrames, receiver.checksumErrors)
    let evidence = "\(valid) valid, \(wrong) with checksum errors"
    if valid == 0 { return .skipped("no frame yet") }
    // One in a hundred is more than noise on a short cable.
    guard Double(wrong) > Double(valid) / 100, wrong > 10 else { return .ok(evidence) }
    return .warning(
      evidence, means: "Data is damaged: a second reader, a loose wire, or the mini UART.",
      fix: "sudo outrider doctor --only port-held,serial-console,uart-overlay")
  }

  private static func antenna(_ facts: SystemFacts) -> Finding {
    guard let events = facts.logger.events.value else {
      return facts.logger.events.skipped(ifAbsent: "no log yet")
    }
    let last = events.last { event in
      ["receiver_trouble", "receiver_recovered"].contains(event.kind)
        && (event.fields["fault"] ?? "").hasPrefix("antenna")
    }
    guard let last, last.kind == "receiver_trouble" else { return .ok("no fault in the last events") }
    return .error(
      last.sentence, means: "The receiver has no or weak signals.", fix: "check plug and cable of the antenna"
    )
  }
}
