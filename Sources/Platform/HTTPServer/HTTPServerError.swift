import System

/// The reason why a server did not start.
public enum HTTPServerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Another process uses the address.
  case addressInUse(ListenAddress)
  /// No network interface of this host has the address.
  case addressNotHere(ListenAddress)
  /// Neither a numeric IPv4 or IPv6 address nor `localhost`.
  case notAnAddress(String)
  case notPermitted(ListenAddress)
  /// The path of a socket file must be shorter than `limit` bytes (unix(7)).
  case pathTooLong(String, limit: Int)
  /// A file that is not a socket exists at the path; it is not removed.
  case notASocket(path: String)
  /// Any other error of the kernel.
  case system(SystemError)
  /// libmicrohttpd did not accept the socket.
  case libraryRefused(ListenAddress)

  public var description: String {
    switch self {
    case .addressInUse(.tcp(let address, let port)):
      "\(ListenAddress.tcp(address: address, port: port)): port \(port) of \(address) is in use by another"
        + " process; choose another port or stop it"
    case .addressInUse(.unix(let path)):
      "\(path): the socket is in use by another process; choose another path or stop it"
    case .addressNotHere(let address):
      "\(address): no network interface has this address; choose an address of this host, or 0.0.0.0 for"
        + " all of them"
    case .notAnAddress(let text):
      "\(text): not an IP address; expected an address such as 127.0.0.1 or ::1, or localhost"
    case .notPermitted(.tcp(let address, let port)):
      "\(ListenAddress.tcp(address: address, port: port)): permission denied; choose a port of 1024 or above"
    case .notPermitted(.unix(let path)):
      "\(path): permission denied; choose a directory that this user can write to"
    case .pathTooLong(let path, let limit):
      "\(path): path too long for a Unix socket; expected fewer than \(limit) bytes"
    case .notASocket(let path):
      "\(path): a file exists that is not a socket; remove it or choose another path"
    case .system(let error): error.description
    case .libraryRefused(let address):
      "\(address): libmicrohttpd failed to start; check the limits for file descriptors (ulimit -n) and memory"
    }
  }
}
