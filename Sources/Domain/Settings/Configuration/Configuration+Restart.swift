extension Configuration {
  /// This configuration, with the values of `running` for settings that require a restart.
  public func keepingWhatNeedsARestart(of running: Configuration) -> Configuration {
    var kept = self
    for setting in Schema.table.settings where Self.isKept(setting) { setting.copy(from: running, to: &kept) }
    return kept
  }

  private static func isKept(_ setting: any SettingDeclaration<Configuration>) -> Bool {
    switch setting.applies {
    case .afterRestart: !replaced.contains(setting.path)
    case .atOnce: retained.contains(setting.path)
    }
  }

  /// Settings that require a restart and are replaced nevertheless. The devices that they describe follow at the restart;
  /// parts that read the configuration at each use follow immediately.
  private static let replaced: Set<String> = {
    let single: [any SettingDeclaration<Configuration>] = [
      Schema.applyBoard, Schema.accelerometer, Schema.gauge, Schema.powerManager, Schema.clockChip,
      Schema.powerUnderVolts,
      Schema.powerOverVolts, Schema.title, Schema.notes, Schema.system,
    ]
    let groups = LinesSettings.declared + LEDSettings.declared + HostSettings.declared
    return Set((single + groups).map(\.path))
  }()

  /// Settings of the receiver that take effect immediately by their declaration and are kept nevertheless.
  private static let retained: Set<String> = [Schema.cyclic.path, Schema.coalescingInterval.path]
}
