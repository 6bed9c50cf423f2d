import SystemLoop

/// Why a server did not start.
public enum HTTPServerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Another program answers there.
  case addressInUse(ListenAddress)
  /// No network interface of this machine has the address.
  case addressNotHere(ListenAddress)
  /// Neither a numeric IPv4 or IPv6 address nor `localhost`.
  case notAnAddress(String)
  case notPermitted(ListenAddress)
  /// The path of a socket file must be shorter than `limit` bytes (unix(7)).
  case pathTooLong(String, limit: Int)
  /// A file that is no socket stands where the socket should be; it is left alone.
  case notASocket(path: String)
  /// Any other refusal of the kernel.
  case system(SystemError)
  /// libmicrohttpd did not take the socket.
  case libraryRefused(ListenAddress)

  public var description: String {
    switch self {
    case .addressInUse(.tcp(let address, let port)):
      "\(ListenAddress.tcp(address: address, port: port)): another program listens on port \(port) of"
        + " \(address); stop it or choose another port"
    case .addressInUse(.unix(let path)):
      "\(path): another program answers on this socket; stop it or choose another path"
    case .addressNotHere(let address):
      "\(address): no interface of this machine has this address; listen on one of its own, or on 0.0.0.0"
        + " for all"
    case .notAnAddress(let text):
      "\(text): not an address; expected numbers such as 127.0.0.1 or ::1, or localhost"
    case .notPermitted(.tcp(let address, let port)):
      "\(ListenAddress.tcp(address: address, port: port)): not permitted; choose a port from 1024 up"
    case .notPermitted(.unix(let path)):
      "\(path): not permitted; choose a directory that this user may write"
    case .pathTooLong(let path, let limit):
      "\(path): too long for a socket; expected fewer than \(limit) bytes"
    case .notASocket(let path):
      "\(path): is a file, not a socket; remove it or choose another path"
    case .system(let error): error.description
    case .libraryRefused(let address):
      "\(address): libmicrohttpd did not start; look for a limit on descriptors (ulimit -n) or memory"
    }
  }
}
