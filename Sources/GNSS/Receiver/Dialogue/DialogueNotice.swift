/// What people should know about the receiver.
public enum DialogueNotice: Equatable, Sendable {
  /// Frames with right checksums arrive at this speed in bit/s; nil on a port without a speed.
  case found(speed: UInt32?)
  /// Bytes, but no frame at any speed that was tried; said once until frames come.
  case garbled(hasSpeed: Bool)
  /// Not a byte at any speed, not even after wake bytes and queries; said once until something is heard.
  case mute(hasSpeed: Bool)
  case identified(ReceiverIdentity)
  /// It talks, but answers no query in any language: it is only read.
  case notIdentified
  /// The receiver does not take this command and is used without it.
  case refused(command: String)
  /// No reply to this command, asked twice.
  case unanswered(command: String)
  /// Everything wished for was sent; so many commands were refused or not answered.
  case configured(refused: Int, unanswered: Int)
  case speedChanged(from: UInt32, to: UInt32)
  /// It could not be talked to at `wanted`; the line is at `speed` as before.
  case speedChangeFailed(wanted: UInt32, speed: UInt32)
  /// After a change of speed it is heard neither at `wanted` nor at `speed`: it is searched for.
  case lostInSpeedChange(wanted: UInt32, speed: UInt32)
  /// It does not take this command of cyclic mode, does not answer it, or fell silent in that mode (nil): it works with
  /// full power from now on.
  case cyclicModeFailed(command: String?)
  /// It does not take this command of keeping its epochs, or does not answer it: it says each of them by itself from
  /// now on.
  case batchingFailed(command: String)
  /// So many epochs that it kept, about, will never be told.
  case epochsLost(Int)
  case asleep
  case awake
  case doesNotSleep(SleepObstacle)
  /// Neither wake bytes, other speeds, a fresh port nor its supply brought it back; it is searched for.
  case doesNotWake
  /// It started anew without being told to; its settings are sent again.
  case restarted
  /// Nothing more was heard of a receiver that should be awake.
  case fellSilent
}

/// Why a receiver cannot be put to sleep.
public enum SleepObstacle: String, Equatable, Sendable {
  /// `control` is none.
  case notAllowed
  /// Its language has no command for it, and no enable line is wired.
  case noCommand
  /// Only a pin would wake it again, and none is wired.
  case needsPin
  /// It goes on talking.
  case keepsTalking
}
