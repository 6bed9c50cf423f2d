import Quantities
import Records

/// An action in the Overland format: a Feature with `action`, at the last fix.
public struct OverlandAction: Equatable, Sendable {
  public let action: ActionRecord
  public let time: Timestamp

  /// Creates the Feature; nil for other records, without a time, or at latitude 0 and longitude 0.
  public init?(_ record: LogRecord) {
    guard case .action(let action) = record.body, let time = record.time, !action.coordinate.isNullIsland
    else { return nil }
    self.action = action
    self.time = time
  }

  /// Appends the Feature in the form of a profile.
  public func append(to text: inout [UInt8], for profile: OverlandProfile = .overland) {
    text.appendFeature(at: action.coordinate, time: time, for: profile)
    text.append(#","action":"#)
    text.appendJSONString(action.action.rawValue)
    text.appendDevice(action.device, for: profile)
    text.append("}}")
  }
}
