import Quantities
import Records
import SystemLoop
import Uplink

/// A transport that has the network brought up before each attempt. The time this takes is not the attempt's.
final class RadioTransport: BatchTransport {
  private let inner: any BatchTransport
  private let radio: NetworkRadio
  private let timeout: Duration
  private let loop: EventLoop
  private var token: UInt64?
  /// Attempts so far: one that was given up is not begun when the network is there.
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
    // The network may have been there, and the attempt at its end already.
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
