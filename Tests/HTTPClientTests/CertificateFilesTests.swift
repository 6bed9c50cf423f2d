import EventLoop
import Glibc
import HTTPClient
import Quantities
import System
import TestSupport
import Testing
import TextSnapshots

@Suite final class CertificateFilesTests {
  static let texts = TextSnapshot("http")

  private let directory = "/tmp/outrider-tls-files-\(getpid())-\(UInt32.random(in: 0 ... .max))"

  init() {
    mkdir(directory, 0o700)
    mkfifo("\(directory)/pipe", 0o600)
    mkdir("\(directory)/folder", 0o700)
    for (name, text) in [("empty", ""), ("text", "no certificate\n")] {
      let descriptor = open("\(directory)/\(name)", O_WRONLY | O_CREAT, 0o600)
      _ = write(descriptor, text, text.utf8.count)
      close(descriptor)
    }
  }

  deinit {
    for name in ["pipe", "empty", "text"] { unlink("\(directory)/\(name)") }
    rmdir("\(directory)/folder")
    rmdir(directory)
  }

  private func failure(_ change: (inout HTTPClientRequest) -> Void) throws -> (TransportFailure?, EventLoop) {
    let loop = try EventLoop()
    let server = try ScriptedServer(loop, [.close])
    let client = try HTTPClient(loop: loop)
    var failure: TransportFailure?
    var request = HTTPClientRequest(.get, url: "https://127.0.0.1:\(server.port)/")
    request.timeout = .seconds(5)
    change(&request)
    client.perform(request) { outcome in
      if case .failure(let reason) = outcome { failure = reason }
      loop.stop()
    }
    #expect(try loop.runUntilStopped())
    return (failure, loop)
  }

  static let parts = ["ca_file", "client_certificate", "client_key"]
  static let names = ["pipe", "folder", "empty", "absent", "/dev/zero"]
  static let cases = parts.flatMap { part in names.map { (part, $0) } }

  @Test(arguments: cases)
  func aFileThatCannotBeReadIsRefusedWithWordsAndHoldsNothing(part: String, name: String) throws {
    let path = name.hasPrefix("/") ? name : "\(directory)/\(name)"
    let (failure, loop) = try failure { request in
      switch part {
      case "ca_file": request.authorityFile = path
      case "client_certificate": request.clientCertificateFile = path
      default: request.clientKeyFile = path
      }
    }
    switch try #require(failure) {
    case .invalidRequest(let reason) where part == "ca_file": #expect(reason.hasPrefix("ca_file \(path): "))
    case .clientCertificate(_, let reason) where part != "ca_file":
      #expect(reason.hasPrefix("\(part) \(path): "))
    case let other: Issue.record("\(other)")
    }
    #expect(failure?.isOutcomeUnknown == false)
    #expect(loop.turnTimes.longest < .milliseconds(100), "\(loop.turnTimes)")
    let message = try #require(failure).description.replacing(/127.0.0.1:[0-9]+/, with: "server")
      .replacing(directory, with: "/directory")
    #expect(message == Self.texts.expected("\(part) \(name)", message))
  }

  @Test func aFileWithoutACertificateIsNamed() throws {
    let (failure, _) = try failure { $0.authorityFile = "\(directory)/text" }
    guard case .invalidRequest(let reason) = failure else {
      Issue.record("\(String(describing: failure))"); return
    }
    #expect(reason.hasPrefix("ca_file \(directory)/text: "))
  }
}
