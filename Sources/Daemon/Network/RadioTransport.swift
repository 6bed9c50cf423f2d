import Quantities
import Records
import SystemLoop
import Uplink

/// A transport that switches the radio on before every attempt. The timeout of an attempt starts after that.
final class RadioTransport: BatchTransport {
  private let inner: any BatchTransport
  private let radio: NetworkRadio
  private let timeout: Duration
  private let loop: EventLoop
  private var token: UInt64?
  /// The number of attempts, which identifies the present one: an abandoned attempt does not start when the network is up.
  private var attempt: UInt64 = 0

  init(_ inner: any BatchTransport, radio: NetworkRadio, timeout: Duration, loop: EventLoop) {
    self.inner = inner
    self.radio = radio
    self.timeout = timeout
    self.loop = loop
  }

  var cut: BatchCut { inner.cut }

  func holds(_ through: RecordID) -> Bool { inner.holds(through) }

  func rendered(_ records: [StoredRecord], endingAt through: RecordID) -> RenderedBatch {
    inner.rendered(records, endingAt: through)
  }

  func send(_ batch: OutgoingBatch, completion: @escaping (Verdict, _ answer: [UInt8]) -> Void) {
    giveUp()
    let number = attempt
    let wanted = radio.want { [weak self] in
      guard let self, attempt == number else { return }
      var late = batch
      late.deadline = loop.now + timeout
      inner.send(late) { [weak self] verdict, answer in
        if let self, attempt == number { giveUp() }
        completion(verdict, answer)
      }
    }
    // If the network was up, the attempt may be over already.
    if attempt == number { token = wanted } else { radio.done(wanted) }
  }

  func abandon() {
    giveUp()
    inner.abandon()
  }

  func stop() {
    giveUp()
    inner.stop()
  }

  private func giveUp() {
    attempt &+= 1
    if let token { radio.done(token) }
    token = nil
  }
}
