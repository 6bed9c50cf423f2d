import GNSSProtocol

/// A change or failure of the receiver session that is worth a report to people.
public enum DialogueNotice: Equatable, Sendable {
  /// Frames with valid checksums arrive at this baud rate in bit/s; nil on a port without a baud rate.
  case found(speed: UInt32?)
  /// Bytes arrive, but no frame at any baud rate that was tried. Reported once until frames arrive.
  case garbled(hasSpeed: Bool)
  /// No byte arrives at any baud rate, not even after wake bytes and queries. Reported once until bytes
  /// arrive.
  case mute(hasSpeed: Bool)
  case identified(ReceiverIdentity)
  /// Frames arrive, but no query of any family is answered; the receiver is only read.
  case notIdentified
  /// The receiver rejects this command and is used without it.
  case refused(command: String)
  /// No reply to this command after two attempts.
  case unanswered(command: String)
  /// All desired settings were sent; the numbers count rejected commands and commands without a reply.
  case configured(refused: Int, unanswered: Int)
  case speedChanged(from: UInt32, to: UInt32)
  /// The receiver did not communicate at `target`; the line is back at `speed`.
  case speedChangeFailed(target: UInt32, speed: UInt32)
  /// After a change of baud rate no data arrives at `target` or at `speed`; the search starts again.
  case lostInSpeedChange(target: UInt32, speed: UInt32)
  /// The receiver rejects this command of cyclic tracking or does not answer it. With nil it fell silent in
  /// that mode. It works in continuous mode from now on.
  case cyclicModeFailed(command: String?)
  /// The receiver rejects this command for storing epochs, or does not answer it. It reports every epoch
  /// immediately from now on.
  case batchingFailed(command: String)
  /// About this many stored epochs are lost.
  case epochsLost(Int)
  /// The epochs that the receiver stored while the host was off do not begin where the last run ended; the number is
  /// estimated by the interval.
  case epochsMissing(MissingEpochs, count: Int)
  case asleep
  case awake
  case doesNotSleep(SleepObstacle)
  /// Wake bytes, other baud rates, reopening the port and switching the supply did not wake the receiver; the
  /// search starts again.
  case doesNotWake
  /// The receiver restarted without a request; its settings are sent again.
  case restarted
  /// A receiver that should be awake stopped sending.
  case fellSilent
}

/// The reason why a receiver cannot be put to sleep.
public enum SleepObstacle: String, Equatable, Sendable {
  /// Receiver control is `none`.
  case notAllowed
  /// The receiver family has no sleep command, and no enable line is wired.
  case noCommand
  /// Only a pin can wake the receiver, and it is not wired.
  case needsPin
  /// The receiver keeps sending after the sleep command.
  case keepsTalking
}

/// The reason why a receiver cannot be polled for the satellites it receives.
public enum SatelliteObstacle: Sendable, CaseIterable {
  /// The command is not allowed, because receiver control does not permit writing.
  case notAllowed
  /// The receiver is asleep, starting or being configured.
  case notRunning
  /// The receiver family is unknown.
  case noCommand
}
