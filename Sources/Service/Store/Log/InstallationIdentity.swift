import System

/// The identity of an installation in its log, with the host on which the log was last used.
///
/// It lasts as long as the hardware is the same. Copies of a card have the same machine-id; the serial number of the hardware
/// tells them apart.
public struct InstallationIdentity: Equatable, Sendable {
  /// An upper-case UUID.
  public let uniqueID: String
  /// The identity by the machine-id alone.
  let machine: String
  /// The hardware; nil as long as its serial number is unknown.
  let board: BoardHash?
  /// The change whose event is not stored yet.
  public private(set) var unreported: Change?

  init(uniqueID: String, machine: String, board: BoardHash?, unreported: Change? = nil) {
    self.uniqueID = uniqueID
    self.machine = machine
    self.board = board
    self.unreported = unreported
  }

  /// The identity in its stored form; nil for any other text.
  public init?(_ text: String) {
    let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard [4, 6].contains(fields.count), fields[0] == "1", !fields[1].isEmpty, !fields[2].isEmpty else {
      return nil
    }
    self.init(uniqueID: fields[1], machine: fields[2], board: BoardHash(fields[3]))
    if fields.count == 6 {
      unreported = Cause(rawValue: fields[4]).map { Change(cause: $0, previous: fields[5]) }
    }
  }

  /// The stored form, separated by tabs: format version, identity, machine, board, and an unreported change.
  public var text: String {
    let change = unreported.map { [$0.cause.rawValue, $0.previous] } ?? []
    return (["1", uniqueID, machine, board?.text ?? ""] + change).joined(separator: "\t")
  }

  /// The identity after its change was reported.
  public var reported: InstallationIdentity {
    InstallationIdentity(uniqueID: uniqueID, machine: machine, board: board)
  }

  /// A new identity in place of the stored one.
  public struct Change: Equatable, Sendable {
    public let cause: Cause
    /// The identity until now.
    public let previous: String
  }

  /// The evidence for another host; the raw values are stored.
  public enum Cause: String, Sendable, CaseIterable {
    /// The serial number differs.
    case otherBoard = "other_board"
    /// The machine-id differs, and no serial number proves that the hardware is the same.
    case otherMachineID = "other_machine_id"
  }

  /// Decides on the identity of a start.
  ///
  /// - Parameters:
  ///   - stored: the identity in the log, if it has one.
  ///   - isNewLog: true if nothing was recorded in the log. An older log without an identity keeps that of the machine-id,
  ///     which its records have.
  ///   - host: the host as it is now.
  /// - Returns: the identity, with a change until its event is stored; nil if the host has no machine-id.
  public static func decide(
    stored: InstallationIdentity?, isNewLog: Bool, host: MachineIdentity
  ) -> InstallationIdentity? {
    let best = host.machineAndBoard ?? host.machine
    guard let stored else { return made(isNewLog ? best : host.machine, host, nil) }
    if let cause = cause(stored, host) {
      // Without a machine-id there is no identity; the next start decides again.
      return made(best, host, Change(cause: cause, previous: stored.uniqueID))
    }
    return InstallationIdentity(
      uniqueID: stored.uniqueID, machine: host.machine ?? stored.machine, board: host.board ?? stored.board,
      unreported: stored.unreported)
  }

  private static func made(_ uniqueID: String?, _ host: MachineIdentity, _ change: Change?)
    -> InstallationIdentity?
  {
    guard let uniqueID, let machine = host.machine else { return nil }
    return InstallationIdentity(uniqueID: uniqueID, machine: machine, board: host.board, unreported: change)
  }

  /// The evidence that this is another host than the stored one; nil without any.
  private static func cause(_ stored: InstallationIdentity, _ host: MachineIdentity) -> Cause? {
    if let known = stored.board, let board = host.board, known.source == board.source {
      return known == board ? nil : .otherBoard
    }
    guard let machine = host.machine else { return nil }
    return machine == stored.machine ? nil : .otherMachineID
  }
}
