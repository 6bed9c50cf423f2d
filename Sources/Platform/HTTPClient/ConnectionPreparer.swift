import EventLoop
import Quantities
import System

/// Obtains beside the loop what a new connection needs: the addresses of a name, and the files of TLS.
final class ConnectionPreparer {
  /// A function that looks up a name and may block.
  typealias LookUp = @Sendable (String) -> Result<[NetworkAddress], NameFailure>

  /// What to obtain, and until when.
  struct Order {
    var files: TLSFiles?
    var name: String?
    var deadline: Moment
  }

  /// The result of an order.
  enum Outcome {
    case ready(files: TLSFiles.Bytes?, addresses: [NetworkAddress])
    case noFile(TLSFiles.Failure)
    case noName(NameFailure)
  }

  private struct Pending {
    var order: Order
    var fileTicket: BlockingCalls<TLSFiles, Result<TLSFiles.Bytes, TLSFiles.Failure>>.Ticket?
    var nameTicket: BlockingCalls<String, Result<[NetworkAddress], NameFailure>>.Ticket?
    var files: TLSFiles.Bytes?
    var addresses: [NetworkAddress] = []
    var completion: (Outcome) -> Void
  }

  private let names: BlockingCalls<String, Result<[NetworkAddress], NameFailure>>
  private let files: BlockingCalls<TLSFiles, Result<TLSFiles.Bytes, TLSFiles.Failure>>
  private let loop: EventLoop
  private var timer: LoopTimer?
  private var pending: [UInt64: Pending] = [:]

  init(loop: EventLoop, lookUp: @escaping LookUp) throws(SystemError) {
    self.loop = loop
    names = try BlockingCalls(
      "resolver", loop: loop, { lookUp($0) }, onNoThread: { .failure(.other("\($0)")) })
    files = try BlockingCalls(
      "tls files", loop: loop, { $0.read() },
      onNoThread: {
        .failure(
          TLSFiles.Failure(part: .authority, cause: CertificateFile.Failure(path: "", reason: "\($0)")))
      })
    timer = loop.addTimer("http preparation") { [weak self] now in self?.expire(now) }
  }

  deinit { if let timer { loop.removeTimer(timer) } }

  /// True while a request waits for a preparation.
  var isBusy: Bool { !pending.isEmpty }

  /// Starts an order for the request `serial`. `completion` is called once, in a later turn of the loop.
  func prepare(_ serial: UInt64, _ order: Order, completion: @escaping (Outcome) -> Void) {
    var entry = Pending(order: order, completion: completion)
    entry.nameTicket = order.name.map { name in
      names.ask(name) { [weak self] result in self?.take(serial, name: result) }
    }
    entry.fileTicket = order.files.map { paths in
      files.ask(paths) { [weak self] result in self?.take(serial, files: result) }
    }
    pending[serial] = entry
    arm()
  }

  /// Ends an order without calling its completion.
  func cancel(_ serial: UInt64) { _ = remove(serial) }

  private func take(_ serial: UInt64, name result: Result<[NetworkAddress], NameFailure>) {
    pending[serial]?.nameTicket = nil
    switch result {
    case .success(let addresses):
      pending[serial]?.addresses = addresses
      endIfReady(serial)
    case .failure(let failure): end(serial, .noName(failure))
    }
  }

  private func take(_ serial: UInt64, files result: Result<TLSFiles.Bytes, TLSFiles.Failure>) {
    pending[serial]?.fileTicket = nil
    switch result {
    case .success(let bytes):
      pending[serial]?.files = bytes
      endIfReady(serial)
    case .failure(let failure): end(serial, .noFile(failure))
    }
  }

  private func endIfReady(_ serial: UInt64) {
    guard let entry = pending[serial], entry.nameTicket == nil, entry.fileTicket == nil else { return }
    end(serial, .ready(files: entry.files, addresses: entry.addresses))
  }

  private func end(_ serial: UInt64, _ outcome: Outcome) { remove(serial)?.completion(outcome) }

  private func remove(_ serial: UInt64) -> Pending? {
    guard let entry = pending.removeValue(forKey: serial) else { return nil }
    if let ticket = entry.nameTicket { names.cancel(ticket) }
    if let ticket = entry.fileTicket { files.cancel(ticket) }
    arm()
    return entry
  }

  private func arm() { timer?.arm(at: pending.values.map(\.order.deadline).min()) }

  private func expire(_ now: Moment) {
    let due = pending.filter { $0.value.order.deadline <= now }.keys.sorted()
    for serial in due {
      // A completion before may have cancelled this one.
      guard let entry = pending[serial] else { continue }
      if entry.fileTicket != nil, let paths = entry.order.files {
        end(serial, .noFile(paths.failure("the file system does not respond")))
      } else {
        end(serial, .noName(.noAnswer))
      }
    }
    arm()
  }
}
