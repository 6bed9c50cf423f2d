/// Finds the chips on a bus by probing each address.
public enum I2CSurvey {
  /// The result for one address.
  public enum Finding: Equatable, Sendable {
    /// A supported chip, by its identity: its names in board files, several if their identity is the same.
    case parts([String])
    /// A known chip that is not supported.
    case unsupported(KnownChip)
    /// A chip answers, but no known one.
    case unknown
    /// The address cannot be probed.
    case fault(I2CError)
  }

  /// Every address that answers or cannot be probed, in order. Silent addresses are omitted.
  ///
  /// Only reads, with the exception stated at ``GaugePart/candidates(on:at:)``. A hanging bus ends the
  /// survey: the first address that times out is the last one probed.
  public static func of(_ bus: any I2CBus) -> [(address: I2CAddress, finding: Finding)] {
    var found: [(address: I2CAddress, finding: Finding)] = []
    for address in I2CAddress.devices.compactMap(I2CAddress.init) {
      switch probe(at: address, on: bus) {
      case .fault(.noAcknowledge): break
      case let finding: found.append((address, finding))
      }
      if case .fault(.timedOut)? = found.last?.finding { break }
    }
    return found
  }

  static func probe(at address: I2CAddress, on bus: any I2CBus) -> Finding {
    do throws(I2CError) {
      let names = try parts(at: address, on: bus)
      if !names.isEmpty { return .parts(names) }
      _ = try bus.transfer(to: address, write: [], readCount: 1)
      return KnownChip.find(at: address, on: bus).map { .unsupported($0) } ?? .unknown
    } catch {
      return .fault(error)
    }
  }

  /// Empty if a register is not acknowledged: a chip with a command interface rejects foreign commands, but
  /// is present.
  private static func parts(at address: I2CAddress, on bus: any I2CBus) throws(I2CError) -> [String] {
    do throws(I2CError) {
      return try AccelerometerPart.candidates(at: address, on: bus).map(\.name)
        + gaugesAndManagers(at: address, on: bus)
    } catch {
      guard case .noAcknowledge = error else { throw error }
      return []
    }
  }

  private static func gaugesAndManagers(at address: I2CAddress, on bus: any I2CBus) throws(I2CError)
    -> [String]
  {
    do throws(ChipError) {
      let gauges = try GaugePart.candidates(on: bus, at: address).map(\.name)
      // A board that is both has one name.
      return try gauges
        + PowerManagerPart.candidates(on: bus, at: address).map(\.name).filter { !gauges.contains($0) }
    } catch {
      if case .bus(let fault) = error { throw fault }
      return []
    }
  }
}
