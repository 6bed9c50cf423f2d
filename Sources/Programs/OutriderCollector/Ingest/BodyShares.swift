import FleetRecords

/// The requests in progress of every token, so that one token never takes the memory of all.
///
/// A device has a number of requests. The devices that share an enrolment token have the bytes of one body of
/// the greatest size, because each of them sends little.
final class BodyShares {
  /// The usual number of requests of a device: the second one is for a device whose first connection was lost.
  static let usualRequests = 2

  private struct Use {
    var requests = 0
    var bytes = 0
  }

  /// The share of one request. Its last reference gives it back, however the request ends.
  final class Share {
    private let owner: TokenOwner
    private let bytes: Int
    private var shares: BodyShares?

    fileprivate init(_ owner: TokenOwner, bytes: Int, of shares: BodyShares) {
      (self.owner, self.bytes, self.shares) = (owner, bytes, shares)
    }

    deinit { giveBack() }

    /// Gives the share back. Without effect after the first time.
    func giveBack() {
      shares?.remove(owner, bytes: bytes)
      shares = nil
    }
  }

  private let requestsOfDevice: Int
  private let largest: Int
  private var uses: [TokenOwner: Use] = [:]

  /// `largest` is the greatest size of a body in bytes.
  init(requestsOfDevice: Int, largest: Int) {
    (self.requestsOfDevice, self.largest) = (requestsOfDevice, largest)
  }

  /// Takes the share of a request whose body has this length, nil if it is unknown. Returns nil if the token has
  /// too much in progress.
  func take(_ access: Access, length: Int?) -> Share? {
    let bytes = min(length ?? largest, largest)
    let owner: TokenOwner
    switch access {
    case .device(let device):
      owner = .device(device)
      guard (uses[owner]?.requests ?? 0) < requestsOfDevice else { return nil }
    case .enrol(_, let token):
      owner = .enrolment(token: token)
      guard (uses[owner]?.bytes ?? 0) <= largest - bytes else { return nil }
    case .read, .operate, .disabled, .unknown: return nil
    }
    uses[owner, default: Use()].requests += 1
    uses[owner, default: Use()].bytes += bytes
    return Share(owner, bytes: bytes, of: self)
  }

  private func remove(_ owner: TokenOwner, bytes: Int) {
    guard var use = uses[owner] else { return }
    use.requests -= 1
    use.bytes -= bytes
    uses[owner] = use.requests > 0 ? use : nil
  }
}
