import GNSSProtocol
import Quantities

/// The learned data of a receiver. It outlives a schedule and a restart of the program. Owned by ``Tracker``.
package struct ReceiverMemory: Equatable, Sendable {
  package var starts = StartCost(family: .unknown)
  package var ephemerides = EphemerisAge(hasBackupSupply: true)
  /// True if the receiver is connected and offers cyclic tracking.
  package var hasCyclicMode = false
  /// The time at which an earlier run last read the ephemerides, until the clock provides their age.
  package var readBefore: Timestamp?
  /// Number of learned starts that the saved state contains.
  package var savedStarts = 0

  package init() {}

  /// Processes the receiver's family, which decides the initial start times.
  package mutating func identified(_ family: ReceiverFamily) { starts.identified(family) }
}
