import EventLoop
import Glibc
import Testing
@testable import Devices

@Suite struct WifiSourceTests {
  @Test func anAddressIsSixBytes() {
    #expect(WifiNetwork.address([2, 0, 0x5E, 0x10, 0, 1]) == "02:00:5e:10:00:01")
    #expect(WifiNetwork.address([]) == nil && WifiNetwork.address([1, 2, 3]) == nil)
  }

  @Test(.enabled(if: access("/sys/class/ieee80211", F_OK) != 0, "this machine has wireless"))
  func withoutWirelessTheNetworkIsUnknownWithoutAnError() throws {
    let source = WifiSource(loop: try EventLoop())
    var changes = 0
    source.onChange = { _ in changes += 1 }
    source.start()
    #expect(source.network == nil && source.fault == nil && changes == 0)
    source.stop()
  }
}
