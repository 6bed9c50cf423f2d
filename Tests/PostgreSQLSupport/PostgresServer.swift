import Foundation
import Glibc

/// A real PostgreSQL server in a temporary folder, reachable through a unix socket only.
///
/// PostgreSQL does not run as root; then it runs as the user `postgres`, through runuser(1).
public final class PostgresServer: @unchecked Sendable {
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private static let folders = ["/usr/lib/postgresql/17/bin", "/usr/lib/postgresql/15/bin", "/usr/local/bin"]
  private static let programs = folders.first {
    access("\($0)/initdb", X_OK) == 0 && access("\($0)/pg_ctl", X_OK) == 0
  }
  private static let isRoot = geteuid() == 0

  /// True if a server can be started here. Tests that need one are skipped otherwise.
  public static let isInstalled = programs != nil && (!isRoot || getpwnam("postgres") != nil)

  private let directory: String
  private var isRunning = false

  /// Creates a cluster and starts the server. `settings` are lines of postgresql.conf.
  public init(settings: [String] = []) throws {
    directory = "/tmp/outrider-pg-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    if Self.isRoot, let user = getpwnam("postgres") {
      chown(directory, user.pointee.pw_uid, user.pointee.pw_gid)
    }
    chmod(directory, 0o700)
    try run(
      "initdb",
      [
        "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync", "-D",
        "\(directory)/data",
      ])
    // Small, so that a server starts quickly and several fit beside each other. No test cuts the machine's
    // supply, and what a server has written outlives the server.
    let lines = [
      "listen_addresses = ''", "unix_socket_directories = '\(directory)'", "max_connections = 40",
      "fsync = off",
    ]
    let file = "\(directory)/data/postgresql.conf"
    try
      ((try String(contentsOfFile: file, encoding: .utf8)) + "\n" + (lines + settings).joined(separator: "\n")
      + "\n")
      .write(toFile: file, atomically: false, encoding: .utf8)
    try start()
  }

  deinit { remove() }

  private static let commonServer = Result { try PostgresServer() }

  /// A server that several tests share, each with a database of its own. It ends with the process.
  public static func common() throws -> PostgresServer {
    let server = try commonServer.get()
    _ = end
    return server
  }

  private static let end: Void = {
    _ = atexit { if case .success(let server) = commonServer { server.remove() } }
  }()

  private func remove() {
    try? stop(mode: "immediate")
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// The address of the server's database `postgres`, as a connection string of libpq.
  public var address: String { address(of: "postgres") }

  /// The address of a database.
  public func address(of database: String) -> String { "host=\(directory) user=postgres dbname=\(database)" }

  public func start() throws {
    // The default, 60 s, may be too short beside a build.
    try run(
      "pg_ctl", ["-w", "-t", "300", "-s", "-D", "\(directory)/data", "-l", "\(directory)/log", "start"])
    isRunning = true
  }

  /// Stops the server. `immediate` is a crash: nothing is written, and the next start recovers from the log.
  public func stop(mode: String = "fast") throws {
    guard isRunning else { return }
    try run("pg_ctl", ["-w", "-s", "-m", mode, "-D", "\(directory)/data", "stop"])
    isRunning = false
  }

  private func run(_ program: String, _ arguments: [String]) throws {
    let path = "\(Self.programs ?? "")/\(program)"
    // Foundation's Process would wait for the end of the server, which inherits its descriptors.
    let words =
      Self.isRoot ? ["/usr/sbin/runuser", "-u", "postgres", "--", path] + arguments : [path] + arguments
    var list: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for word in list { free(word) } }
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    for number in 0..<Int32(3) { posix_spawn_file_actions_addopen(&files, number, "/dev/null", O_RDWR, 0) }
    // The server counts inherited descriptors against its limit, and tests of servers open more than a thousand.
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
    for number in 3...max(open.max() ?? 0, 64) { posix_spawn_file_actions_addclose(&files, number) }
    var child = pid_t()
    let code = posix_spawn(&child, words[0], &files, nil, &list, environ)
    guard code == 0 else { throw Failure(description: "\(program): \(String(cString: strerror(code)))") }
    var status = Int32(0)
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else {
      let log = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? ""
      throw Failure(description: "\(program): wait status \(status); the end of its log: \(log.suffix(1000))")
    }
  }
}
