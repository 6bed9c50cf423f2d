import Energy
import Quantities
import Scheduling
import Settings

extension HostRules {
  /// The rules of host sleep; nil if the host never sleeps.
  package init?(_ configuration: Configuration) {
    guard let depth = configuration.host.sleep else { return nil }
    self.init(
      depth, currents: HostCurrents(configuration), lead: configuration.host.startTime(from: depth))
    least = configuration.host.least
    // An alarm that rings before the supply is cut would be lost.
    if let manager = configuration.powerManager {
      least = max(least, manager.cutAfter + .seconds(60))
      leastWhileStoring = max(leastWhileStoring, manager.cutAfter + .seconds(60))
    }
    afterStart = configuration.host.afterStart
    wakesOnMotion = configuration.host.wakesOnMotion
  }
}

extension HostCurrents {
  /// The currents of board file and configuration, in mA at the supply; nil if the idle or sleeping current is missing.
  ///
  /// Without currents for start and stop, the busy current is used, or twice the idle current.
  package init?(_ configuration: Configuration) {
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
    if case .chip? = configuration.powerManager?.part, let manager = configuration.powerManager {
      untilCut = figures[.hostUntilCut].map(drawn) ?? 0
      cutTime = max(manager.cutAfter - stopTime, .zero)
    }
  }
}

extension HostSettings {
  /// The time of a wake-up: 3 s from suspend, 20 s for a boot, unless configured.
  package func startTime(from depth: HostDepth) -> Duration {
    starting ?? .seconds(depth == .suspend ? 3 : 20)
  }
  /// The time to fall asleep: 1 s to suspend, 4 s to halt, unless configured.
  package func stopTime(to depth: HostDepth) -> Duration { stopping ?? .seconds(depth == .suspend ? 1 : 4) }
}
