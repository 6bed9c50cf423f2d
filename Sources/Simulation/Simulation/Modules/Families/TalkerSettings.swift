/// The common settings of the families without UBX.
struct TalkerSettings: Sendable, Equatable {
  /// Baud rate in bit/s.
  var speed: UInt32
  /// Milliseconds between two epochs.
  var interval = 1000
  /// Interval of each sentence in epochs; 0 or a missing entry means never.
  var rates: [SentenceKind: Int]
  /// Order of the sentences.
  var order: [SentenceKind]

  /// The sentences of an epoch that are due.
  func sentences(_ epoch: ModuleEpoch, _ style: SentenceStyle) -> [[UInt8]] {
    order.filter { epoch.isDue(rates[$0] ?? 0) }.flatMap { style.bodies($0, epoch) }.map(ModuleFrame.sentence)
  }

  func apply(to core: inout ModuleCore) {
    core.set(speed: speed)
    if core.navigation.interval != .milliseconds(interval) { core.set(interval: .milliseconds(interval)) }
  }
}
