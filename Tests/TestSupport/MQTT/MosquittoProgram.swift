import Foundation
import Glibc

/// A real mosquitto broker on the loopback interface, with one plain port and one with TLS.
public final class MosquittoProgram {
  private static let path = "/usr/sbin/mosquitto"
  /// Reason for skipping a test that requires it.
  public static let remedy: String =
    "mosquitto or openssl is missing: sudo apt-get install mosquitto openssl"
  public static var isInstalled: Bool {
    access(path, X_OK) == 0 && access("/usr/bin/openssl", X_OK) == 0
  }

  public let port: UInt16
  public let tlsPort: UInt16
  /// PEM file of the authority that signed the broker's certificate, which is for `localhost`.
  public let authorityFile: String
  public let clientCertificateFile: String
  public let clientKeyFile: String
  private let directory: String
  private var process: Process?

  /// `admitting` has user and password; nil admits every client. With `requiresCertificate` the TLS port
  /// requires a client certificate. `writable` is the only writable topic; nil for all.
  public init(
    admitting user: (name: String, password: String)? = nil, requiresCertificate: Bool = false,
    writable: String? = nil
  ) throws {
    directory = NSTemporaryDirectory() + "outrider-mqtt-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    port = try Self.freePort()
    tlsPort = try Self.freePort()
    authorityFile = directory + "/ca.pem"
    clientCertificateFile = directory + "/client.pem"
    clientKeyFile = directory + "/client.key"
    try makeCertificates()
    var lines = ["per_listener_settings false", "persistence false", "log_dest none"]
    if let user {
      try run("/usr/bin/mosquitto_passwd", ["-c", "-b", directory + "/users", user.name, user.password])
      lines += ["allow_anonymous false", "password_file \(directory)/users"]
    } else {
      lines.append("allow_anonymous true")
    }
    if let writable {
      try "topic read #\ntopic write \(writable)\n".write(
        toFile: directory + "/access", atomically: true, encoding: .utf8)
      lines.append("acl_file \(directory)/access")
    }
    lines += [
      "listener \(port) 127.0.0.1",
      // All addresses of the name: a client tries only the first, and on some systems that is ::1.
      "listener \(tlsPort) localhost", "cafile \(authorityFile)",
      "certfile \(directory)/server.pem", "keyfile \(directory)/server.key",
      "require_certificate \(requiresCertificate)",
    ]
    // Started by root, it would switch to a user without access to the directory.
    if getuid() == 0 { lines.append("user root") }
    try (lines.joined(separator: "\n") + "\n").write(
      toFile: directory + "/broker.conf", atomically: true, encoding: .utf8)
    try start()
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Returns once the broker listens.
  public func start() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.path)
    process.arguments = ["-c", directory + "/broker.conf"]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    self.process = process
    var attempts = 0
    while !Self.listens(on: port) || !Self.listens(on: tlsPort) {
      attempts += 1
      guard attempts < 2000, process.isRunning else { throw CocoaError(.executableLoad) }
      poll(nil, 0, 5)
    }
  }

  public func kill() {
    guard let process, process.isRunning else { return }
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private func makeCertificates() throws {
    func openssl(_ line: String) throws {
      try run("/usr/bin/openssl", line.split(separator: " ").map(String.init))
    }
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    let d = directory
    try openssl("req -x509 \(key) -keyout \(d)/ca.key -out \(d)/ca.pem -subj /CN=Authority")
    try "subjectAltName=DNS:localhost\n".write(toFile: d + "/name", atomically: true, encoding: .utf8)
    for name in ["server", "client"] {
      try openssl("req \(key) -keyout \(d)/\(name).key -out \(d)/\(name).csr -subj /CN=\(name)")
      let sign = "x509 -req -in \(d)/\(name).csr -CA \(d)/ca.pem -CAkey \(d)/ca.key -CAcreateserial -days 2"
      try openssl("\(sign) -out \(d)/\(name).pem -extfile \(d)/name")
    }
  }

  private func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    address.sin_port = port.bigEndian
    return address
  }

  private static func freePort() throws -> UInt16 {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = address(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    guard isBound else { throw CocoaError(.fileReadUnknown) }
    return UInt16(bigEndian: address.sin_port)
  }

  private static func listens(on port: UInt16) -> Bool {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    let address = address(port)
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
