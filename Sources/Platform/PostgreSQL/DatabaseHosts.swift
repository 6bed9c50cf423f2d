import CPostgreSQL
import EventLoop
import System

/// The hosts that a connection string names.
///
/// libpq would look up their names itself, on the thread of the loop. It does not if it gets their addresses. Only hosts of
/// a service file (`service=NAME`) remain its task.
struct DatabaseHosts: Equatable {
  private struct Host: Equatable {
    let name: String
    let port: String

    /// True if the name has to be looked up: it is no path of a socket, no address, and not the local host (RFC 6761).
    var isName: Bool {
      let lower = name.lowercased()
      return !name.isEmpty && !name.hasPrefix("/") && !name.hasPrefix("@") && lower != "localhost"
        && !lower.hasSuffix(".localhost") && !NetworkAddress.isLiteral(name)
    }
  }

  /// The number of addresses of one host that are tried.
  private static let mostAddresses = 8

  private let hosts: [Host]

  /// Parses a connection string or URI as libpq does, with the variables of the environment.
  init(_ address: String) {
    var options = Self.values(PQconndefaults())
    let isGiven = address.contains("=") || address.contains("://")
    let given = isGiven ? Self.values(PQconninfoParse(address, nil)) : [:]
    options.merge(given) { $1 }
    guard given["service"] == nil, options["hostaddr", default: ""].isEmpty,
      let host = options["host"], !host.isEmpty
    else {
      hosts = []
      return
    }
    let names = host.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let ports = options["port", default: ""].split(separator: ",", omittingEmptySubsequences: false)
      .map(String.init)
    // libpq rejects another number of ports.
    guard ports.count <= 1 || ports.count == names.count else {
      hosts = []
      return
    }
    hosts = names.enumerated().map { index, name in
      Host(name: name, port: ports.count > 1 ? ports[index] : ports.first ?? "")
    }
  }

  /// The names to look up.
  var names: Set<String> { Set(hosts.filter(\.isName).map(\.name)) }

  /// The options of libpq that name the addresses, in place of those of the string; nil if no host is left. A host without
  /// addresses is left out.
  func options(_ addresses: [String: [NetworkAddress]]) -> [(String, String)]? {
    let entries = hosts.flatMap { host -> [(host: Host, address: String)] in
      guard host.isName else { return [(host, "")] }
      return (addresses[host.name] ?? []).prefix(Self.mostAddresses).map { address in
        (host, address.scope == 0 ? address.text : "\(address.text)%\(address.scope)")
      }
    }
    guard !entries.isEmpty else { return nil }
    return [
      ("host", entries.map(\.host.name)), ("hostaddr", entries.map(\.address)),
      ("port", entries.map(\.host.port)),
    ].map { ($0.0, $0.1.joined(separator: ",")) }
  }

  private static func values(_ list: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String] {
    guard let list else { return [:] }
    defer { PQconninfoFree(list) }
    var values: [String: String] = [:]
    var entry = list
    while let keyword = entry.pointee.keyword {
      if let value = entry.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      entry += 1
    }
    return values
  }
}

/// Looks up the hosts of a database beside the loop, for one attempt to connect at a time.
final class DatabaseLookup {
  typealias Answer = Result<[NetworkAddress], NameFailure>
  typealias Options = [(String, String)]

  private let hosts: DatabaseHosts
  private let loop: EventLoop
  private let lookUp: @Sendable (String) -> Answer
  private var calls: BlockingCalls<String, Answer>?
  private var tickets: [BlockingCalls<String, Answer>.Ticket] = []
  private var answers: [String: Answer] = [:]

  init(_ address: String, loop: EventLoop, _ lookUp: @escaping @Sendable (String) -> Answer) {
    hosts = DatabaseHosts(address)
    (self.loop, self.lookUp) = (loop, lookUp)
  }

  /// Finds the options that name the addresses. `completion` is called at once if there is nothing to look up, otherwise in
  /// a later turn of the loop, unless the lookup is cancelled.
  func find(_ completion: @escaping (Result<Options, PostgresError>) -> Void) {
    cancel()
    let names = hosts.names
    guard !names.isEmpty else { return completion(.success([])) }
    let calls: BlockingCalls<String, Answer>
    do throws(SystemError) { calls = try prepare() } catch {
      return completion(.failure(.unreachable(reason: "\(error)")))
    }
    tickets = names.map { name in
      calls.ask(name) { [weak self] answer in self?.take(answer, of: name, names.count, completion) }
    }
  }

  private func prepare() throws(SystemError) -> BlockingCalls<String, Answer> {
    if let calls { return calls }
    let made = try BlockingCalls("database names", loop: loop, lookUp) { .failure(.other("\($0)")) }
    calls = made
    return made
  }

  /// Forgets the lookup in progress.
  func cancel() {
    for ticket in tickets { calls?.cancel(ticket) }
    (tickets, answers) = ([], [:])
  }

  private func take(
    _ answer: Answer, of name: String, _ count: Int,
    _ completion: (Result<Options, PostgresError>) -> Void
  ) {
    answers[name] = answer
    guard answers.count == count else { return }
    let found = answers.compactMapValues { try? $0.get() }
    let failures = answers.compactMap { name, answer in
      if case .failure(let failure) = answer { String?.some("\(name): \(failure)") } else { String?.none }
    }.sorted()
    (tickets, answers) = ([], [:])
    if let options = hosts.options(found) { return completion(.success(options)) }
    completion(
      .failure(
        .unreachable(
          reason: "cannot look up the host: \(failures.joined(separator: "; ")); check the address of the "
            + "database and the name server")))
  }
}
