import EventLoop
import FleetStore

/// Opens the store on PostgreSQL.
enum StoreOpener {
  static func open(_ loop: EventLoop, _ options: ServeOptions) -> ServeCommand.OpenStore {
    var rules = FleetStoreRules(connections: options.connections)
    // The other half is for bodies that are being received.
    rules.intake.memory = options.memory / 2
    rules.retention = options.retention
    rules.locationPartitions = options.partitions
    rules.enrolments = options.enrolments
    let store = FleetStore(
      database: options.database, loop: loop, rules: rules, onNotice: { Console.complain("\($0)") })
    return ServeCommand.OpenStore(
      store: store,
      metrics: {
        IngestMetrics.text(of: store.counts) + (store.summary?.text ?? "")
      }, stop: { store.stop() })
  }
}
