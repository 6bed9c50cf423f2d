import Quantities
import Testing
import GNSSProtocol
@testable import GNSSReceiver

@Suite struct KnownReceiverTests {
  static let receivers = [
    KnownReceiver(speed: 9600, identity: .unknown),
    KnownReceiver(speed: nil, identity: ReceiverIdentity(family: .airoha, module: "LC76G")),
    KnownReceiver(
      speed: 115_200,
      identity: ReceiverIdentity(
        family: .ubloxKeys, protocolVersion: 3410, module: "MAX-M10S", firmware: "SPG 5.10",
        hardware: "000A0000"),
      setUp: .max, interval: 1000, storesEpochs: true, storesAfter: Timestamp(milliseconds: 1_795_862_400_123)
    ),
    KnownReceiver(
      speed: 38_400,
      identity: ReceiverIdentity(
        family: .mediaTek, module: "a;b=c%\r\n\u{0}ü", firmware: String(repeating: "%", count: 63),
        hardware: String(repeating: ";", count: 63)),
      setUp: 0, interval: 10_000),
  ]

  @Test(arguments: receivers)
  func aKnownReceiverSurvivesItsText(_ receiver: KnownReceiver) {
    #expect(KnownReceiver(text: receiver.text) == receiver)
    #expect(receiver.text.utf8.allSatisfy { (0x20...0x7E).contains($0) })
  }

  @Test(arguments: [
    "", ";;;", "=", "speed=9600", "family=", "family=none", "family=casic%", "family=casic%1",
    String(repeating: "family=casic;", count: 1000),
  ])
  func damagedTextIsRejected(_ text: String) { #expect(KnownReceiver(text: text) == nil) }

  @Test func aDamagedValueLosesOnlyItself() {
    let receiver = KnownReceiver(
      text: "speed=-1;protocol=x;family=casic;setup=xyz;interval=0;module=%zz;later=1;hardware=A=B")
    #expect(
      receiver == KnownReceiver(speed: nil, identity: ReceiverIdentity(family: .casic, hardware: "A=B")))
  }

  @Test func theDigestDistinguishesCommandsAndBaudRates() {
    let one = ReceiverCommand(name: "a", bytes: [1, 2, 3], reply: .version)
    let other = ReceiverCommand(name: "a", bytes: [1, 2, 4], reply: .version)
    let digests = [
      KnownReceiver.digest(of: [], speed: nil), KnownReceiver.digest(of: [one], speed: nil),
      KnownReceiver.digest(of: [one], speed: 9600), KnownReceiver.digest(of: [other], speed: 9600),
      KnownReceiver.digest(of: [one, one], speed: 9600),
    ]
    #expect(Set(digests).count == digests.count)
    #expect(digests[0] == 0x4D25_767F_9DCE_13F5)
  }
}
