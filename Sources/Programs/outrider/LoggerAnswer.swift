import Glibc
import LocalAPI
import System

/// The result of a status request to the running logger.
enum LoggerAnswer {
  case report(StatusReport)
  /// No logger is running, or it has no socket.
  case nobody
  /// This user may not use the socket.
  case forbidden
  /// A logger is listening, but sent no report in time.
  case noAnswer
  /// A logger has locked the storage directory, but does not listen.
  case noSocket
  /// A logger has sent a response that cannot be used.
  case fault(AnswerFault)

  /// Requests the status through the socket of the local API.
  /// The lock of the directory `storage` shows if a logger runs without its socket; nil if the directory is unknown.
  static func ask(_ socket: String, storage: String?) throws -> LoggerAnswer {
    let exchange = try LocalExchange.perform(socket, .get, "/status")
    if case .answer(200, let body) = exchange, let report = StatusReport(json: body) {
      return .report(report)
    }
    return without(exchange, socket, storage: storage)
  }

  /// Returns the reason why an exchange gave no report.
  private static func without(_ exchange: LocalExchange, _ socket: String, storage: String?) -> LoggerAnswer {
    switch exchange {
    case .answer(let status, let body): .fault(.unreadable(status: status, bytes: body.count))
    case .fault(let fault): reason(fault, socket, storage: storage)
    case .nothing: withoutReport(socket, storage: storage)
    }
  }

  /// Returns the fault of a response, unless the logger that sent it has ended meanwhile.
  static func reason(_ fault: AnswerFault, _ socket: String, storage: String?) -> LoggerAnswer {
    guard case .endedEarly = fault, case .nobody = withoutReport(socket, storage: storage) else {
      return .fault(fault)
    }
    return .nobody
  }

  var report: StatusReport? {
    if case .report(let report) = self { report } else { nil }
  }

  /// The row `logger` of the status.
  func words(socket: String) -> String {
    switch self {
    case .report(let report):
      "running for \(StatusText.duration(report.uptime_s ?? 0)), version \(report.version)"
    case .nobody: "not running; status from the log"
    case .forbidden: "perhaps running (\(Self.denial(socket))); status from the log"
    case .noAnswer: "running, but not responding on \(socket); status from the log"
    case .noSocket: "running, but not listening on \(socket); status from the log"
    case .fault(let fault): "running, but \(fault.clause); status from the log"
    }
  }

  /// The beginning of a message about a missing report.
  func lack(on socket: String) -> String {
    switch self {
    case .fault(let fault): "\(socket): the logger is running, but \(fault.clause)"
    case .report, .nobody, .forbidden, .noAnswer, .noSocket: "no logger responds on \(socket)"
    }
  }

  /// Names the missing permission for the socket.
  static func denial(_ socket: String) -> String {
    AccessAdvice(opening: socket, writing: true)?.description
      ?? "\(socket): this user has no permission; use sudo"
  }

  /// The remedy if there is no report.
  var remedy: String {
    switch self {
    case .report, .nobody: "name the configuration with --config"
    case .forbidden: "use sudo"
    case .noAnswer: "the logger is running, but does not respond; try again"
    case .noSocket:
      "the logger is running, but does not listen; it retries every minute, if api.enabled is true"
    case .fault(let fault): fault.remedy
    }
  }

  /// Returns the reason for a missing report, by the error of connect(2) and the lock of the storage directory.
  static func withoutReport(_ path: String, storage: String?) -> LoggerAnswer {
    let answer = connection(path)
    guard case .nobody = answer, let storage, StorageLock.isHeld(in: storage) else { return answer }
    return .noSocket
  }

  private static func connection(_ path: String) -> LoggerAnswer {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(path.utf8)
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return .nobody }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let raw = socket(AF_UNIX, flags, 0)
    guard raw >= 0 else { return .nobody }
    let probe = Descriptor(owning: raw)
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(probe.raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if result == 0 { return .noAnswer }
    switch errno {
    // The backlog of the socket is full.
    case EAGAIN: return .noAnswer
    case EACCES: return .forbidden
    case _: return .nobody
    }
  }
}
