import Glibc
import Quantities
import Synchronization
import System

/// A proxy to a collector that cuts connections at random: before a request, within it, or within the response.
///
/// It also simulates a server that rejects one record.
final class CutNetwork: Sendable {
  struct Counts: Sendable {
    var requests = 0
    /// Requests that the collector received only in part, or not at all.
    var cutRequests = 0
    /// Responses that the logger received only in part, or not at all.
    var cutAnswers = 0
    var choked = 0
  }

  let port: UInt16
  private let listener: Int32
  private let collector: UInt16
  private let poison: [UInt8]
  private let rarity: Int
  private let state: Mutex<(random: SplitMix64, counts: Counts)>

  /// Bodies with the text `poison` are rejected; one of `rarity` messages is cut in each direction.
  init(to collector: UInt16, poison: String, rarity: Int, seed: UInt64) throws {
    self.collector = collector
    self.poison = Array(poison.utf8)
    self.rarity = rarity
    state = Mutex((SplitMix64(seed: seed), Counts()))
    listener = try check("socket", socket(AF_INET, Self.stream, 0))
    port = try Self.listen(listener)
    // Ends with the socket.
    try DetachedThread.start("cut network") { [self] in serve() }
  }

  deinit { close(listener) }

  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  var counts: Counts { state.withLock { $0.counts } }
  var url: String { "http://127.0.0.1:\(port)/api/input" }

  private static let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

  private func serve() {
    while true {
      let raw = accept(listener, nil, nil)
      guard raw >= 0 else { return }
      let client = Descriptor(owning: raw)
      carry(client.raw)
      shutdown(client.raw, Int32(SHUT_WR))
    }
  }

  private func carry(_ client: Int32) {
    state.withLock { $0.counts.requests += 1 }
    guard let request = Self.request(from: client) else { return }
    guard !Self.holds(request, poison) else {
      state.withLock { $0.counts.choked += 1 }
      let body = "this record makes me sick"
      Self.send(
        Array("HTTP/1.1 422 No\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)[...], to: client)
      return
    }
    let server = Descriptor(owning: socket(AF_INET, Self.stream, 0))
    guard server.raw >= 0, Self.connect(server.raw, to: collector) else { return }
    if let part = share(of: request.count, counting: \.cutRequests) {
      return Self.send(request[..<part], to: server.raw)
    }
    Self.send(request[...], to: server.raw)
    let answer = Self.answer(from: server.raw)
    let part = share(of: answer.count, counting: \.cutAnswers) ?? answer.count
    Self.send(answer[..<part], to: client)
  }

  /// The number of bytes that are forwarded; nil if the connection is not cut.
  private func share(
    of count: Int, counting kind: WritableKeyPath<Counts, Int> & Sendable
  ) -> Int? {
    state.withLock { state in
      guard Int.random(in: 0..<rarity, using: &state.random) == 0 else { return nil }
      state.counts[keyPath: kind] += 1
      return Int.random(in: 0..<max(count, 1), using: &state.random)
    }
  }

  // MARK: Bytes

  /// Reads a request with its body, changed to close the connection; nil if the client disconnects first.
  private static func request(from client: Int32) -> [UInt8]? {
    let line = Array("Connection: close\r\n".utf8)
    var bytes: [UInt8] = []
    var wanted: Int?
    while wanted.map({ bytes.count < $0 }) ?? true {
      guard let more = receive(from: client) else { return nil }
      bytes += more
      guard wanted == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
      let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
      let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }
      wanted = end.upperBound + (length.flatMap { Int($0.dropFirst(16)) } ?? 0) + line.count
      bytes.insert(contentsOf: line, at: end.lowerBound + 2)
    }
    return bytes
  }

  private static func answer(from server: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    while let more = receive(from: server) { bytes += more }
    return bytes
  }

  private static func receive(from raw: Int32) -> ArraySlice<UInt8>? {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(raw, &chunk, chunk.count, 0)
    return count > 0 ? chunk[..<count] : nil
  }

  private static func send(_ bytes: ArraySlice<UInt8>, to raw: Int32) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static func holds(_ bytes: [UInt8], _ text: [UInt8]) -> Bool {
    // A request contains no zero byte.
    (bytes + [0]).withUnsafeBytes { bytes in
      (text + [0]).withUnsafeBytes { text in
        guard let whole = bytes.bindMemory(to: CChar.self).baseAddress,
          let part = text.bindMemory(to: CChar.self).baseAddress
        else { return false }
        return strstr(whole, part) != nil
      }
    }
  }

  // MARK: Sockets

  private static func listen(_ raw: Int32) throws -> UInt16 {
    var address = loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let results = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        [bind(raw, $0, length), Glibc.listen(raw, 16), getsockname(raw, $0, &length)]
      }
    }
    for result in results { try check("listen", result) }
    return UInt16(bigEndian: address.sin_port)
  }

  private static func connect(_ raw: Int32, to port: UInt16) -> Bool {
    var address = loopback(port: port)
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(raw, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
