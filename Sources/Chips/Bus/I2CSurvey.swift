/// What lies on a bus, told by asking each address.
public enum I2CSurvey {
  /// What an address turned out to hold.
  public enum Finding: Equatable, Sendable {
    /// A part that Outrider drives, by its identity: the names that board files use, several where they answer alike.
    case parts([String])
    /// It answers and is none of them.
    case unknown
    /// It cannot be asked.
    case fault(I2CError)
  }

  /// Every address at which something answers or cannot be asked, in order. Silent addresses are left out.
  ///
  /// Reads only, apart from what ``GaugePart/candidates(on:at:)`` says. A bus that hangs ends it: the first address that
  /// times out is the last one asked.
  public static func of(_ bus: any I2CBus) -> [(address: I2CAddress, finding: Finding)] {
    var found: [(address: I2CAddress, finding: Finding)] = []
    for address in I2CAddress.devices.compactMap(I2CAddress.init) {
      switch look(at: address, on: bus) {
      case .fault(.noAcknowledge): break
      case let finding: found.append((address, finding))
      }
      if case .fault(.timedOut)? = found.last?.finding { break }
    }
    return found
  }

  static func look(at address: I2CAddress, on bus: any I2CBus) -> Finding {
    do throws(I2CError) {
      let names = try parts(at: address, on: bus)
      if !names.isEmpty { return .parts(names) }
      _ = try bus.transfer(to: address, write: [], readCount: 1)
      return .unknown
    } catch {
      return .fault(error)
    }
  }

  /// Empty where a register is not acknowledged: a part that takes commands refuses those of others, and is there.
  private static func parts(at address: I2CAddress, on bus: any I2CBus) throws(I2CError) -> [String] {
    do throws(I2CError) {
      return try AccelerometerPart.candidates(at: address, on: bus).map(\.name)
        + gauges(at: address, on: bus)
    } catch {
      guard case .noAcknowledge = error else { throw error }
      return []
    }
  }

  private static func gauges(at address: I2CAddress, on bus: any I2CBus) throws(I2CError) -> [String] {
    do throws(ChipError) {
      return try GaugePart.candidates(on: bus, at: address).map(\.name)
    } catch {
      if case .bus(let fault) = error { throw fault }
      return []
    }
  }
}
