import Energy
import LocalAPI
import LoggerConfiguration
import Quantities
import Settings

extension ProfilesReport {
  /// The least running time of the logger on a day of the ledger that counts as complete.
  private static let completeDay = 23.0 * 3600

  /// The profiles by the currents of the configuration. `account` is the whole ledger, `days` the ledger by day.
  init(_ configuration: Configuration, _ account: ChargeAccount, _ days: [StatusReport.EnergyDays.Day]) {
    let currents = BoardCurrents(configuration)
    let others = account.othersPerDay
    let all: [UsageProfile?] = [nil] + UsageProfile.allCases
    let profiles = all.map { profile -> Profile in
      let cost = ProfileCost(profile, currents)
      let consumers = cost.missing.compactMap {
        EnergyShare.receiver($0).consumers(at: configuration.host.sleep).first
      }
      var row = Profile(
        name: Self.name(profile),
        changes: Dictionary(profile?.changes ?? [], uniquingKeysWith: { first, _ in first }),
        missing: consumers.map { "energy.\($0.rawValue)" })
      row.receiver_mAh_day = cost.receiver.map(Self.tenths)
      if let receiver = cost.receiver, let others { row.total_mAh_day = Self.tenths(receiver + others) }
      return row
    }
    let day = days.last { $0.logged_s >= Self.completeDay }
    self.init(
      current: Self.name(configuration.usageProfile), profiles: profiles,
      lastDay: day.map { day in
        let receiver = day.shares.filter { $0.name.hasPrefix("receiver_") }.reduce(0) {
          $0 + ($1.charge_mAh ?? 0)
        }
        return Day(day: day.day, receiver_mAh: Self.tenths(receiver), total_mAh: Self.tenths(day.total_mAh))
      })
  }

  private static func name(_ profile: UsageProfile?) -> String { profile?.rawValue ?? "off" }

  private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
