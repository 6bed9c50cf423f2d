import EventLoop
import Foundation
import Glibc
import HTTPClient
import Quantities
import System
import TestSupport
import Testing

private let hasPrograms = access("/usr/bin/python3", X_OK) == 0 && access("/usr/bin/openssl", X_OK) == 0

/// Servers of TLS that do what no server should, before, during and after the handshake. Each request ends with a named
/// cause, in bounded memory, and holds the loop for less than 100 ms at a time.
@Suite(
  .enabled(
    if: hasPrograms, "python3 or openssl is absent: sudo apt-get install python3 openssl"))
struct HostileTLSTests {
  struct Case: Sendable, CustomTestStringConvertible {
    /// The name of the behaviour in the script.
    let name: String
    /// The expected end: a status of a response, or the case of ``TransportFailure``.
    let ends: [String]
    var testDescription: String { name }
  }

  private static let broken = ["other", "interrupted", "tls"]

  static let cases = [
    // Before and during the handshake.
    Case(name: "silence", ends: ["timedOut", "unreachable"]),
    Case(name: "close", ends: broken),
    Case(name: "reset", ends: broken),
    Case(name: "garbage", ends: broken),
    Case(name: "plain HTTP", ends: broken),
    Case(name: "one byte at a time", ends: ["timedOut", "unreachable"]),
    Case(name: "endless warnings", ends: broken),
    Case(name: "endless handshake message", ends: broken),
    Case(name: "endless hello requests", ends: broken),
    Case(name: "huge chain", ends: broken),
    // After the handshake.
    Case(name: "silence after", ends: ["timedOut"]),
    Case(name: "close after", ends: broken),
    Case(name: "reset after", ends: broken),
    Case(name: "garbage after", ends: broken),
    Case(name: "plain HTTP after", ends: broken),
    Case(name: "record too long after", ends: broken),
    Case(name: "half a record after", ends: ["timedOut"]),
    Case(name: "warnings after", ends: broken),
    Case(name: "handshake message after", ends: broken),
    Case(name: "half a response, no close notification", ends: broken),
    Case(name: "no length, no close notification", ends: broken + ["200"]),
    Case(name: "endless header", ends: ["headersTooLong"]),
    Case(name: "endless body", ends: ["200"]),
    Case(name: "80 session tickets", ends: ["200"]),
    Case(name: "100,000 session tickets", ends: broken),
    Case(name: "endless renegotiation", ends: broken + ["timedOut"]),
    Case(name: "endless key updates", ends: broken),
  ]

  /// A server in Python, or of OpenSSL, as a process of its own.
  private final class Server {
    let directory: String
    let port: UInt16
    private let process = Process()

    init(_ behaviour: String) throws {
      directory = NSTemporaryDirectory() + "outrider-tls-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      let certificate = Process()
      certificate.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
      certificate.arguments =
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost".split(
          separator: " "
        ).map(String.init)
        + [
          "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(directory)/key.pem", "-out",
          "\(directory)/cert.pem",
        ]
      certificate.standardError = FileHandle.nullDevice
      try certificate.run()
      certificate.waitUntilExit()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
      process.arguments = ["-c", HostileTLSTests.script, behaviour, directory]
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      port = try #require(UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)), "\(line)")
    }

    deinit {
      if process.isRunning {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
      }
      try? FileManager.default.removeItem(atPath: directory)
    }
  }

  @Test(arguments: cases)
  func aHostileServerOfTLSIsNamedAndHoldsNeitherLoopNorMemory(_ test: Case) throws {
    let server = try Server(test.name)
    var request = HTTPClientRequest(.post, url: "https://127.0.0.1:\(server.port)/in")
    request.authorityFile = "\(server.directory)/cert.pem"
    request.body = [Array("{}".utf8)]
    request.timeout = test.ends.contains("timedOut") ? .milliseconds(1500) : .seconds(10)
    let outcome = try HostileExchange.perform(request, ends: test.ends)
    if case .failure(let failure) = outcome {
      #expect(failure.description.contains("https://127.0.0.1:\(server.port)"), "\(failure)")
    }
  }

  /// Prints the port, and treats every connection in the same way.
  private static let script = #"""
    import ctypes, os, socket, ssl, struct, subprocess, sys, threading, time
    behaviour, directory = sys.argv[1:3]
    cert, key = directory + "/cert.pem", directory + "/key.pem"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if behaviour == "huge chain":
        text = open(cert).read()
        open(directory + "/chain.pem", "w").write(text * 4000)
        context.load_cert_chain(directory + "/chain.pem", key)
    else:
        context.load_cert_chain(cert, key)
    if "session tickets" in behaviour:
        context.num_tickets = int(behaviour.split()[0].replace(",", ""))

    def endless(client, block):
        while True: client.sendall(block)

    def wait(client):
        while client.recv(65536): pass

    def reset(client):
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()

    def raw(stream, block):
        descriptor = os.dup(stream.fileno())
        try:
            while block: block = block[os.write(descriptor, block):]
        finally: os.close(descriptor)

    def serve(client):
        if behaviour == "silence": return wait(client)
        if behaviour == "close": return client.close()
        if behaviour == "plain HTTP":
            client.recv(4096)
            return client.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        if behaviour == "reset":
            client.recv(4096)
            return reset(client)
        if behaviour == "garbage": return endless(client, os.urandom(65536))
        if behaviour == "one byte at a time":
            for byte in b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc\x03\x03" + bytes(16000):
                client.sendall(bytes([byte]))
                time.sleep(0.05)
        if behaviour == "endless warnings": return endless(client, b"\x15\x03\x03\x00\x02\x01\x5a" * 8000)
        if behaviour == "endless handshake message":
            client.sendall(b"\x16\x03\x03\x40\x00\x02\xff\xff\xff" + bytes(16380))
            return endless(client, b"\x16\x03\x03\x40\x00" + bytes(16384))
        if behaviour == "endless hello requests":
            client.recv(4096)
            return endless(client, (b"\x16\x03\x03\x40\x00" + bytes(16384)) * 16)
        stream = context.wrap_socket(client, server_side=True)
        stream.recv(4096)
        if behaviour == "silence after": return wait(stream)
        if behaviour == "reset after": return reset(stream)
        if behaviour == "garbage after":
            while True: raw(stream, os.urandom(65536))
        if behaviour == "plain HTTP after":
            raw(stream, b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"result\":\"ok\"}")
            return time.sleep(30)
        if behaviour == "record too long after":
            raw(stream, b"\x17\x03\x03\xff\xff" + bytes(65535))
            return time.sleep(30)
        if behaviour == "half a record after":
            raw(stream, b"\x17\x03\x03\x40\x00abc")
            return time.sleep(30)
        if behaviour == "warnings after":
            while True: raw(stream, b"\x15\x03\x03\x00\x02\x01\x5a" * 8000)
        if behaviour == "handshake message after":
            raw(stream, b"\x16\x03\x03\x00\x04\x00\x00\x00\x00")
            return time.sleep(30)
        if behaviour == "half a response, no close notification":
            stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"result\"")
        elif behaviour == "no length, no close notification":
            stream.sendall(b"HTTP/1.1 200 OK\r\n\r\n{\"result\":\"ok\"}")
        elif behaviour == "endless header":
            stream.sendall(b"HTTP/1.1 200 OK\r\n")
            endless(stream, (b"X-A: " + b"x" * 1000 + b"\r\n") * 60)
        elif behaviour == "endless body":
            stream.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            endless(stream, bytes(65536))
        elif "session tickets" in behaviour:
            stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"result\":\"ok\"}")
            return time.sleep(30)
        os.close(stream.detach())

    def one(client):
        try: serve(client)
        except (OSError, ssl.SSLError): pass

    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    orders = {"endless renegotiation": ("-tls1_2", b"R\n"), "endless key updates": ("-tls1_3", b"K\n")}
    if behaviour in orders:
        listener.close()
        version, order = orders[behaviour]
        server = subprocess.Popen(
            ["/usr/bin/openssl", "s_server", "-accept", f"127.0.0.1:{port}", version, "-cert", cert, "-key", key],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            # It ends with this process (PR_SET_PDEATHSIG).
            preexec_fn=lambda: ctypes.CDLL(None).prctl(1, 9))
        while b"ACCEPT" not in server.stdout.readline(): pass
        print(port, flush=True)
        while b"CIPHER" not in server.stdout.readline(): pass
        threading.Thread(target=server.stdout.read, daemon=True).start()
        try:
            for _ in range(30000):
                server.stdin.write(order)
                server.stdin.flush()
                time.sleep(0.001)
        except OSError: pass
        server.kill()
    else:
        print(port, flush=True)
        while True:
            client, _ = listener.accept()
            threading.Thread(target=one, args=(client,), daemon=True).start()
    """#
}
