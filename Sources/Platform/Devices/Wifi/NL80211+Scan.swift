import CNetlink
import Quantities

// Scanning for access points.
extension NL80211 {
  /// Subscribes to notices about scans (multicast group `scan`), or unsubscribes.
  func setSubscription(scans isSubscribed: Bool) throws(Failure) {
    let group = try Self.check("genl_ctrl_resolve_grp", genl_ctrl_resolve_grp(socket, Self.name, "scan"))
    if isSubscribed {
      try Self.check("nl_socket_add_membership", nl_socket_add_membership(socket, group))
    } else {
      try Self.check("nl_socket_drop_membership", nl_socket_drop_membership(socket, group))
    }
  }

  /// Starts a passive scan of all channels on each client interface (`NL80211_CMD_TRIGGER_SCAN` without an
  /// SSID). It takes seconds and ends with a notice. Throws if no interface starts one.
  func scan() throws(Failure) {
    var refusal = Failure(call: "NL80211_CMD_TRIGGER_SCAN", number: NLE_NODEV)
    var isScanning = false
    for station in try stations() {
      do throws(Failure) {
        try scan(station.index)
        isScanning = true
      } catch {
        refusal = error
      }
    }
    guard isScanning else { throw refusal }
  }

  private func scan(_ interface: UInt32) throws(Failure) {
    let command = Int32(NL80211_CMD_TRIGGER_SCAN.rawValue)
    guard let request = outrider_nl_request(family, 0, command) else {
      throw Failure(call: "nlmsg_alloc", number: NLE_NOMEM)
    }
    defer { nlmsg_free(request) }
    try Self.check("nla_put", nla_put_u32(request, Int32(NL80211_ATTR_IFINDEX.rawValue), interface))
    try Self.check("nl_send_auto", nl_send_auto(socket, request))
    try Self.check("NL80211_CMD_TRIGGER_SCAN", nl_wait_for_ack(socket))
  }

  /// Addresses of the access points received within the last `age`, whichever program started the scan.
  func accessPoints(seenWithin age: Duration) throws(Failure) -> Set<String> {
    var addresses: Set<String> = []
    for station in try stations() {
      let received: [String?] = try dump(NL80211_CMD_GET_SCAN, interface: station.index) { message in
        guard let found = outrider_nl_attribute(message, Int32(NL80211_ATTR_BSS.rawValue)),
          let address = Self.nested(found, NL80211_BSS_BSSID).flatMap(WifiNetwork.address),
          let seen = Self.nested(found, NL80211_BSS_SEEN_MS_AGO), seen.count == 4
        else { return nil }
        let milliseconds = seen.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        return .milliseconds(milliseconds) <= age ? address : nil
      }
      addresses.formUnion(received.compactMap { $0 })
    }
    return addresses
  }

  private static func nested(_ attribute: UnsafeMutablePointer<nlattr>, _ type: nl80211_bss) -> [UInt8]? {
    outrider_nl_nested(attribute, Int32(type.rawValue)).flatMap(content)
  }
}
