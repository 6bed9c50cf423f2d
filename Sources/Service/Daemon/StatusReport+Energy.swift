import Energy
import LocalAPI
import LoggerConfiguration
import Quantities
import Settings

extension StatusReport.Energy {
  /// The ledger. `configuration` explains a missing measured charge.
  public init(_ account: ChargeAccount, _ configuration: Configuration) {
    self.init(
      logged_s: account.duration.inSeconds.rounded(), supply_V: account.supplyVolts,
      total_mAh: Self.rounded(account.total))
    since = account.start?.iso8601()
    grain = "local day"
    for share in EnergyShare.all {
      guard let entry = account.entries[share] else { continue }
      let isUnknown = entry.isIncomplete && entry.charge == .zero
      shares.append(
        Share(
          name: share.name, time_s: entry.time.inSeconds.rounded(),
          charge_mAh: isUnknown ? nil : Self.rounded(entry.charge)))
      if entry.isIncomplete, let consumer = share.consumers(at: configuration.host.sleep).first {
        let path = "energy.\(consumer.rawValue)"
        if !missing.contains(path) { missing.append(path) }
      }
    }
    guard let seen = account.seenByGauge else {
      gauge_trouble = Self.missingChargeReason(of: configuration)
      return
    }
    gauge_mAh = Self.rounded(seen)
    explained_mAh = Self.rounded(account.explained)
    unexplained_mAh = account.unexplained.map(Self.rounded)
  }

  private static func rounded(_ charge: Charge) -> Double {
    (charge.milliampereHours * 1000).rounded() / 1000
  }

  /// The reason for a missing measured charge, with the remedy.
  private static func missingChargeReason(of configuration: Configuration) -> String {
    guard configuration.supply == .battery else { return "the device does not run on a battery" }
    switch configuration.gauge?.source {
    case nil: return "no fuel gauge is configured"
    case .powerSupply where configuration.capacityMAh == nil:
      return
        "the battery capacity is unknown; set it in mAh, as in outrider set power.capacity_mAh=2000"
    case .powerSupply, .chip:
      return configuration.capacityMAh == nil
        ? "the battery capacity is unknown; set it in mAh, as in outrider set power.capacity_mAh=2000"
        : "the gauge has not yet reported a charge while the battery was not charging"
    }
  }
}
