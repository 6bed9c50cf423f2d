extension Duration {
  /// Reads a duration in the notation of settings: `200ms`, `30s`, `5m`, `12h`, `30d`; nil for anything else.
  public init?(settingText text: String) {
    guard let milliseconds = UnitTable.duration.value(of: text) else { return nil }
    self = .milliseconds(milliseconds)
  }
}
