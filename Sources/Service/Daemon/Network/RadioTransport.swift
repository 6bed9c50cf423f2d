import EventLoop
import Quantities
import Records
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

  var isNewestOnly: Bool { inner.isNewestOnly }

  var events: EventSelection { inner.events }

  var cut: BatchCut { inner.cut }

  var lastStatus: Int? { inner.lastStatus }

  func rendered(_ records: [StoredRecord], of range: BatchRange) -> RenderedBatch {
    inner.rendered(records, of: range)
  }

  func send(_ batch: OutgoingBatch, completion: @escaping (Verdict, _ answer: [UInt8]) -> Void) {
    releaseRadio()
    let number = attempt
    let requested = radio.requestNetwork { [weak self] in
      guard let self, attempt == number else { return }
      var late = batch
      late.deadline = loop.now + timeout
      inner.send(late) { [weak self] verdict, answer in
        if let self, attempt == number { releaseRadio() }
        completion(verdict, answer)
      }
    }
    // If the network was up, the attempt may be over already.
    if attempt == number { token = requested } else { radio.done(requested) }
  }

  func abandon() {
    releaseRadio()
    inner.abandon()
  }

  func stop() {
    releaseRadio()
    inner.stop()
  }

  private func releaseRadio() {
    attempt &+= 1
    if let token { radio.done(token) }
    token = nil
  }
}
