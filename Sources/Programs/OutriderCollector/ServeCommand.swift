import EventLoop
import FleetPage
import FleetRecords
import Glibc
import HTTPServer
import Quantities
import System

/// `outrider-collector serve`: runs the ingest server in the foreground, as systemd starts it.
enum ServeCommand {
  /// A store, and what the server needs of it besides.
  struct OpenStore {
    var store: any UploadStore
    /// The metrics of the store, in the text format of Prometheus.
    var metrics: () -> String = { "" }
    /// The page of the fleet and its API; nil for none.
    var page: FleetPage?
    /// Ends the store, after all uploads are committed.
    var stop: () -> Void = {}
  }

  /// Opens the store of a database.
  typealias Opener = (_ loop: EventLoop, _ options: ServeOptions) throws -> OpenStore

  static let help = """
    Usage: outrider-collector serve --database URL [OPTION…]

    Runs the ingest server until SIGTERM or SIGINT. Devices send Overland bodies by POST to any path, such as
    /api/v1/batches, and OwnTracks messages to /pub. A request is answered when its records are committed. GET /status
    below any path identifies the server, GET /healthz is for a load balancer. GET / is a page of the fleet, for people
    with a read token (fleet token read).

    \(options)

    Exit status: 0 stopped by a signal, 1 cannot run, 2 misuse.
    """

  private static var options: String {
    let labels = ServeOptions.declared.map { "  \($0.name) \($0.placeholder)" }
    let width = (labels.map(\.count).max() ?? 0) + 2
    return zip(labels, ServeOptions.declared).map { label, option in
      label + String(repeating: " ", count: width - label.count) + option.text
    }.joined(separator: "\n")
  }

  static func command(_ open: @escaping Opener) -> CollectorProgram.Command {
    CollectorProgram.Command(name: "serve", summary: "run the ingest server", help: help) { words in
      try run(words, open)
    }
  }

  private static func run(_ words: ArraySlice<String>, _ open: Opener) throws -> Int32 {
    // Before the first thread, because threads inherit the blocked signals.
    let signals = try SignalDescriptor([SIGTERM, SIGINT])
    let options = try ServeOptions(words, environment: ProcessEnvironment.variable)
    let loop = try EventLoop()
    let clients = clientLimit(DescriptorLimit.raise())
    let opened = try open(loop, options)
    var settings = IngestServer.Settings(listen: options.listen)
    settings.metricsListen = options.metricsListen
    settings.memory = options.memory
    settings.rates = options.rates
    settings.keepsBodies = options.keepsBodies
    settings.clients = clients
    settings.trustedProxy = options.trustedProxy
    settings.seed = UInt64.random(in: 0 ... .max)
    let server = try IngestServer(
      loop: loop, store: opened.store, settings: settings, furtherMetrics: opened.metrics, page: opened.page)
    let supervisor = ServiceNotification(
      environment: ProcessEnvironment.variable, processID: ProcessEnvironment.processID)
    _ = try loop.watch(signals.raw, for: .readable) { _ in
      while signals.next() != nil {
        supervisor.stopping()
        server.stop { loop.stop() }
      }
    }
    watch(supervisor, loop)
    let status = "listening on \(server.address.map { "\($0)" } ?? "")"
    Console.print(status)
    if let address = server.metricsAddress { Console.print("metrics on \(address)") }
    supervisor.ready(status: status)
    try loop.run()
    opened.stop()
    return 0
  }

  /// Tells the supervisor that the loop runs.
  private static func watch(_ supervisor: ServiceNotification, _ loop: EventLoop) {
    guard let interval = supervisor.watchdogInterval else { return }
    var timer: LoopTimer?
    timer = loop.addTimer("watchdog") { now in
      supervisor.watchdog()
      timer?.arm(at: now + interval)
    }
    timer?.arm(at: loop.now + interval)
  }

  /// The descriptors that are not for clients: the database, the loop, the standard streams.
  private static let reservedDescriptors = 128

  /// The number of clients for a limit of descriptors.
  static func clientLimit(_ descriptors: Int) -> Int {
    min(max(descriptors - reservedDescriptors, 1), HTTPServer.Limits.mostConnections)
  }
}
