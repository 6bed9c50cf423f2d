import Quantities

/// A simulated board that cuts the supply of the host and restores it.
public protocol VirtualPowerBoard: VirtualPart {
  /// True while the host has its supply.
  var isHostPowered: Bool { get }
  /// The number of times that the board has started or restarted the host.
  var starts: Int { get }
  /// The clock in seconds since 2000.
  var clock: Int64 { get set }
  /// True if the battery is too low for the host.
  var isBatteryLow: Bool { get set }
  var faults: Set<PowerBoardFault> { get set }
}

/// A fault of a simulated power board.
public enum PowerBoardFault: Hashable, Sendable {
  /// The alarm that starts the host keeps its old value.
  case losesAlarm
  /// This byte of the alarm that starts the host takes this value instead of the written one.
  case changesAlarm(byte: Int, to: UInt8)
  /// The same for the alarm or timer that cuts the supply.
  case changesCut(byte: Int, to: UInt8)
  /// The clock does not advance.
  case stopsClock
  /// The alarm that starts the host never rings.
  case neverRings
  /// The cut is never made.
  case neverCuts
  /// The cut comes this much early.
  case cutsEarly(seconds: Int64)
  /// The firmware cuts at once, whatever delay it was given.
  case ignoresDelay
  /// The delay of the cut keeps its old value.
  case losesDelay
  /// The dead-man timer rings after half its time.
  case ringsDeadManEarly
}
