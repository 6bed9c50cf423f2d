import EventLoop
import FleetPage
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
    let page = FleetPage(
      database: options.database, loop: loop, folder: options.page, fault: { [store] in store.writeFault }
    ) { [store] in store.access(forTokenHash: TokenSecret.hash(of: $0), completion: $1) }
    return ServeCommand.OpenStore(
      store: store,
      metrics: {
        IngestMetrics.text(of: store.counts) + (store.summary?.text ?? "")
      }, page: page,
      stop: {
        page.stop()
        store.stop()
      })
  }
}
