import Energy
import Quantities
import Settings
import Tracking

extension HostRules {
  /// Nil where the host is never put down.
  init?(_ configuration: Configuration) {
    guard let depth = configuration.host.sleep else { return nil }
    self.init(
      depth, currents: HostCurrents(configuration), lead: configuration.host.startTime(from: depth))
    least = configuration.host.least
    afterStart = configuration.host.afterStart
  }
}

extension HostCurrents {
  /// What board and configuration say, in mA of the supply; nil where they leave out what it draws idle or down. A host
  /// whose figures for the way up and down are not known is taken to be busy, or to draw twice its idle current.
  init?(_ configuration: Configuration) {
    let figures = configuration.energy.currents
    guard let depth = configuration.host.sleep, let idle = figures[.hostIdle],
      let down = figures[depth == .suspend ? .hostSuspended : .hostHalted]
    else { return nil }
    let supply = BoardCurrents(configuration).supply
    func drawn(_ figure: CurrentFigure) -> Double {
      supply.milliamperes(for: figure.milliamperes, atVolts: figure.volts)
    }
    let busy = figures[.hostBusy].map(drawn) ?? 2 * drawn(idle)
    self.init(
      idle: drawn(idle), down: drawn(down), starting: figures[.hostStarting].map(drawn) ?? busy,
      stopping: figures[.hostStopping].map(drawn) ?? busy,
      startTime: configuration.host.startTime(from: depth),
      stopTime: configuration.host.stopTime(to: depth))
  }
}

extension HostSettings {
  func startTime(from depth: HostDepth) -> Duration { starting ?? .seconds(depth == .suspend ? 3 : 20) }
  func stopTime(to depth: HostDepth) -> Duration { stopping ?? .seconds(depth == .suspend ? 1 : 4) }
}
