import EventLoop
import Glibc
import Synchronization
import System

/// The process in which a connection to a broker runs. libmosquitto may abort on the bytes of a broker, take memory
/// without a limit, or hang; then the process ends, and the logger goes on.
public enum SessionProcess {
  /// The only argument of the program in such a process.
  public static let word = "mqtt-connection"
  /// The memory in bytes that a process may take in addition to that of its start. TLS takes about 5 MiB.
  private static let memory: UInt = 32 << 20
  private static let isThisProgram = Atomic(false)

  /// The program to start. The link leads to the running program even if its file was replaced.
  static var program: String {
    if isThisProgram.load(ordering: .relaxed) { return "/proc/self/exe" }
    // Programs that only contain the client: tests and measurements. The program is in the same directory.
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let path = String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/outrider"
  }

  /// Runs a connection if the arguments of this program request it, and returns the exit status; else nil. Must be called
  /// at the start of the program: it also declares that this program can run connections.
  public static func run(_ arguments: [String]) -> Int32? {
    isThisProgram.store(true, ordering: .relaxed)
    guard arguments.count == 2, arguments[1] == word else { return nil }
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return 2 }
    ChildConfinement.apply(name: "outrider-mqtt", memory: memory)
    do throws(SystemError) {
      let server = try SessionServer(SessionSocket(owning: Descriptor(owning: STDIN_FILENO)))
      try server.run()
      return 0
    } catch {
      return 1
    }
  }
}

/// Carries out the requests of the logger in the process of a connection.
private final class SessionServer {
  private let socket: SessionSocket
  private let loop: EventLoop
  private var frames = SessionFrames(longest: Int(Int32.max))
  private var session: MosquittoSession?
  /// The numbers of the messages, by the packet identifiers of libmosquitto.
  private var numbers: [Int32: Int32] = [:]

  init(_ socket: SessionSocket) throws(SystemError) {
    self.socket = socket
    loop = try EventLoop()
  }

  /// Returns when the connection or the logger has ended.
  func run() throws(SystemError) {
    _ = try loop.watch(socket.raw, for: .readable) { [weak self] _ in self?.read() }
    report(.started)
    try loop.run()
  }

  private func report(_ report: SessionReport) {
    if !socket.sendAll(report.frame) { loop.stop() }
  }

  private func read() {
    switch socket.read() {
    case .nothing: return
    case .end:
      // The logger ended without a request: the broker publishes the will.
      session?.drop()
      return loop.stop()
    case .bytes(let bytes): frames.append(bytes)
    }
    do throws(SessionFrameError) {
      while let frame = try frames.next() { handle(try SessionRequest(frame)) }
    } catch {
      loop.stop()
    }
  }

  private func handle(_ request: SessionRequest) {
    switch request {
    case .connect(let connection):
      do throws(MQTTFailure) {
        session = try MosquittoSession(connection, loop: loop) { [weak self] in self?.forward($0) }
      } catch {
        forward(.ended(error))
      }
    case .publish(let number, let message):
      if let packet = session?.publish(message) { numbers[packet] = number }
    case .close:
      session?.close()
      loop.stop()
    }
  }

  private func forward(_ event: SessionReport) {
    switch event {
    case .published(let packet):
      if let number = numbers.removeValue(forKey: packet) { report(.published(number)) }
    case .unrouted(let packet):
      if let number = numbers.removeValue(forKey: packet) { report(.unrouted(number)) }
    case .refused(let packet, let failure):
      if let number = numbers.removeValue(forKey: packet) { report(.refused(number, failure)) }
    case .ended:
      report(event)
      loop.stop()
    case .started, .reached, .connected, .received, .notSubscribed: report(event)
    }
  }
}
