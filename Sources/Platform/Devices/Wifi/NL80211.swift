import CNetlink
import Glibc

/// The kernel's interface to wireless networks (linux/nl80211.h) over libnl-genl-3.
///
/// The kernel answers a request before sending returns, so requests do not block; a timeout is set
/// nevertheless.
final class NL80211 {
  /// A failed request to the kernel.
  struct Failure: Error, Equatable, CustomStringConvertible {
    var call: String
    /// Error number of libnl (netlink/errno.h), positive.
    var number: Int32

    /// True if the kernel has no wireless support: no adapter, or no driver.
    var isWithoutWireless: Bool {
      number == NLE_OBJ_NOTFOUND || number == NLE_NODEV || number == NLE_OPNOTSUPP
    }

    var description: String { "\(call): \(String(cString: nl_geterror(number)))" }
  }

  /// Purpose of a socket: requests or notices.
  enum Purpose { case requests, notices }

  let socket: OpaquePointer
  let family: Int32

  init(_ purpose: Purpose) throws(Failure) {
    guard let socket = nl_socket_alloc() else { throw Failure(call: "nl_socket_alloc", number: NLE_NOMEM) }
    let family: Int32
    do throws(Failure) {
      family = try Self.connect(socket, for: purpose)
    } catch {
      nl_socket_free(socket)
      throw error
    }
    self.socket = socket
    self.family = family
  }

  /// Connects the socket and returns the number of the family.
  private static func connect(_ socket: OpaquePointer, for purpose: Purpose) throws(Failure) -> Int32 {
    try check("genl_connect", genl_connect(socket))
    let family = try check("genl_ctrl_resolve", genl_ctrl_resolve(socket, name))
    switch purpose {
    case .requests:
      var timeout = timeval(tv_sec: 0, tv_usec: 50_000)
      setsockopt(
        nl_socket_get_fd(socket), SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    case .notices:
      let group = try check("genl_ctrl_resolve_grp", genl_ctrl_resolve_grp(socket, name, "mlme"))
      nl_socket_disable_seq_check(socket)
      try check("nl_socket_add_membership", nl_socket_add_membership(socket, group))
      try check("nl_socket_set_nonblocking", nl_socket_set_nonblocking(socket))
    }
    return family
  }

  deinit { nl_socket_free(socket) }

  static let name = "nl80211"

  /// A descriptor that becomes readable when a notice is available.
  var descriptor: Int32 { nl_socket_get_fd(socket) }

  /// Summary of the received notices.
  struct Notices {
    /// True if the joined network may have changed.
    var mayHaveChanged: Bool
    /// True if a scan has ended.
    var hasScanned: Bool
  }

  /// Reads the available notices.
  func takeNotices() -> Notices {
    var commands: [Int32] = []
    _ = receive(into: &commands) { message in outrider_nl_command(message) }
    func containsAny(_ expected: [nl80211_commands]) -> Bool {
      expected.contains { commands.contains(Int32(bitPattern: $0.rawValue)) }
    }
    return Notices(
      mayHaveChanged: containsAny([
        NL80211_CMD_CONNECT, NL80211_CMD_DISCONNECT, NL80211_CMD_ROAM, NL80211_CMD_ASSOCIATE,
        NL80211_CMD_DISASSOCIATE, NL80211_CMD_DEAUTHENTICATE,
      ]), hasScanned: containsAny([NL80211_CMD_NEW_SCAN_RESULTS, NL80211_CMD_SCAN_ABORTED]))
  }

  /// The first joined network; nil if none is joined.
  func network() throws(Failure) -> WifiNetwork? {
    for station in try stations() {
      guard let name = station.name, !name.isEmpty else { continue }
      let points = try accessPoints(of: station.index)
      return WifiNetwork(
        name: String(decoding: name, as: UTF8.self), accessPoint: points.first.flatMap(WifiNetwork.address))
    }
    return nil
  }

  /// A wireless interface that is a client of a network.
  struct Station {
    var index: UInt32
    var name: [UInt8]?
  }

  /// The interfaces that are clients of a network.
  func stations() throws(Failure) -> [Station] {
    let found: [Station?] = try dump(NL80211_CMD_GET_INTERFACE, interface: nil) { message in
      guard let index = Self.number(message, NL80211_ATTR_IFINDEX),
        Self.number(message, NL80211_ATTR_IFTYPE) == NL80211_IFTYPE_STATION.rawValue
      else { return nil }
      return Station(index: index, name: Self.bytes(message, NL80211_ATTR_SSID))
    }
    return found.compactMap { $0 }
  }

  /// The stations known to an interface; for a client that is its access point.
  private func accessPoints(of interface: UInt32) throws(Failure) -> [[UInt8]] {
    try dump(NL80211_CMD_GET_STATION, interface: interface) { message in
      Self.bytes(message, NL80211_ATTR_MAC) ?? []
    }
  }

  func dump<Item>(
    _ command: nl80211_commands, interface: UInt32?, _ read: @escaping (OpaquePointer) -> Item
  ) throws(Failure) -> [Item] {
    guard let request = outrider_nl_request(family, NLM_F_DUMP, Int32(command.rawValue)) else {
      throw Failure(call: "nlmsg_alloc", number: NLE_NOMEM)
    }
    defer { nlmsg_free(request) }
    if let interface {
      try Self.check("nla_put", nla_put_u32(request, Int32(NL80211_ATTR_IFINDEX.rawValue), interface))
    }
    try Self.check("nl_send_auto", nl_send_auto(socket, request))
    var items: [Item] = []
    try Self.check("nl_recvmsgs", receive(into: &items, read))
    return items
  }

  /// Passes each valid message to `read` until the kernel marks the last one, or none is available.
  private func receive<Item>(into items: inout [Item], _ read: @escaping (OpaquePointer) -> Item) -> Int32 {
    let collected = Collected { read($0) }
    let context = Unmanaged.passRetained(collected)
    defer { context.release() }
    nl_socket_modify_cb(
      socket, NL_CB_VALID, NL_CB_CUSTOM,
      { message, context in
        if let message, let context {
          Unmanaged<Collected>.fromOpaque(context).takeUnretainedValue().take(message)
        }
        return Int32(NL_OK.rawValue)
      }, context.toOpaque())
    let result = nl_recvmsgs_default(socket)
    items = collected.items.compactMap { $0 as? Item }
    return result
  }

  /// The items collected by a C callback.
  private final class Collected {
    private let read: (OpaquePointer) -> Any
    private(set) var items: [Any] = []

    init(_ read: @escaping (OpaquePointer) -> Any) { self.read = read }

    func take(_ message: OpaquePointer) {
      guard items.count < 64 else { return }
      items.append(read(message))
    }
  }

  static func bytes(_ message: OpaquePointer, _ type: nl80211_attrs) -> [UInt8]? {
    outrider_nl_attribute(message, Int32(type.rawValue)).flatMap(content)
  }

  /// Content of an attribute.
  static func content(_ attribute: UnsafeMutablePointer<nlattr>) -> [UInt8]? {
    guard let start = nla_data(attribute) else { return nil }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(max(nla_len(attribute), 0))))
  }

  private static func number(_ message: OpaquePointer, _ type: nl80211_attrs) -> UInt32? {
    guard let bytes = bytes(message, type), bytes.count == 4 else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
  }

  /// Returns the result of a libnl call, or throws its error if it is negative.
  @discardableResult
  static func check(_ call: String, _ result: Int32) throws(Failure) -> Int32 {
    guard result >= 0 else { throw Failure(call: call, number: -result) }
    return result
  }
}
