import EventLoop

/// Opens the store on PostgreSQL.
enum StoreOpener {
  struct NotBuilt: Error, CustomStringConvertible {
    var description: String { "this program was built without a store" }
  }

  static func open(_ loop: EventLoop, _ options: ServeOptions) throws -> ServeCommand.OpenStore {
    throw NotBuilt()
  }
}
