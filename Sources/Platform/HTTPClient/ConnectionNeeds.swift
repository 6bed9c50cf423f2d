/// Decides what a request still needs for a new connection.
///
/// libcurl asks before it looks up a host (CURLOPT_RESOLVER_START_FUNCTION), that is for a new connection only. It gets a
/// refusal and ends the attempt. The client then looks up the name beside the loop and starts the request again.
struct ConnectionNeeds {
  typealias Host = ConnectionHosts.Host

  /// The next step after a refusal.
  enum Step: Equatable {
    /// Read the files again if `files`, and look up a name if there is one; then start again.
    case prepare(files: Bool, name: Host?)
    /// libcurl looks for a name that is not known here.
    case giveUp
  }

  /// The most attempts of one request. One is usual; a proxy, and a kept connection that turns out to be closed, need
  /// further ones.
  private static let mostAttempts = 6

  private let hosts: ConnectionHosts?
  /// True if the files of the request are as old as the last new connection.
  private var hasOldFiles: Bool
  private var supplied: Set<Host> = []
  private var permits = 0
  private var attempts = 0
  /// True if libcurl was refused a lookup in this attempt.
  private(set) var isRefused = false

  init(_ hosts: ConnectionHosts?, hasOldFiles: Bool) {
    (self.hosts, self.hasOldFiles) = (hosts, hasOldFiles)
  }

  /// Returns true if libcurl may look up a host: if it does so without a name service, and the files are new.
  mutating func allowsLookup() -> Bool {
    if !hasOldFiles {
      if let hosts, hosts.all.allSatisfy(\.isKnown) { return true }
      if permits > 0 {
        permits -= 1
        return true
      }
    }
    isRefused = true
    return false
  }

  /// Takes the end of a refused attempt, with libcurl's message.
  mutating func handleRefusal(_ message: String) -> Step {
    attempts += 1
    isRefused = false
    guard attempts <= Self.mostAttempts, let hosts else { return .giveUp }
    guard !hosts.all.allSatisfy(\.isKnown) else { return .prepare(files: hasOldFiles, name: nil) }
    // libcurl 8 has the same error number for both hosts.
    let ofProxy = message.contains("resolve proxy")
    let order = ofProxy ? [hosts.proxy, hosts.server] : [hosts.server, hosts.proxy]
    let wanted = order.compactMap { $0 }
    // All are supplied if a kept connection was used up in between: look up again.
    if wanted.allSatisfy(supplied.contains) { supplied = [] }
    guard let next = wanted.first(where: { !supplied.contains($0) }) else { return .giveUp }
    guard next.isKnown else { return .prepare(files: hasOldFiles, name: next) }
    supplied.insert(next)
    permits = 1
    return .prepare(files: hasOldFiles, name: nil)
  }

  mutating func filesAreNew() { hasOldFiles = false }
  mutating func supply(_ host: Host) { supplied.insert(host) }
}
