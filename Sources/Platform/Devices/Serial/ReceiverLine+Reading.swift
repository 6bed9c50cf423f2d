import EventLoop
import GNSSProtocol
import GNSSReceiver
import Quantities

// What is read from the line: epochs, answers and satellites.
extension ReceiverLine {
  func connectReader() {
    reader.outputs = EpochReader.Outputs(
      storesEpochs: { [unowned self] in dialogue.keepsEpochs },
      requiredRead: { [unowned self] now in
        nextReadWhileBatching(now: now) ?? (dialogue.listensClosely ? .watch : nil)
      },
      epoch: { [unowned self] fix, moment in
        order.recordEmitted(fix, at: moment)
        deliver(fix, at: moment)
      },
      storedEpochs: { [unowned self] fixes, now in
        for fix in fixes { order.take(fix) }
        releaseEpochs(now: now)
      },
      satellites: { [unowned self] in take($0) },
      signalStrength: { [unowned self] strongest, now in onSignalStrength(strongest, now) },
      arrived: { [unowned self] in
        noticeFilter.received()
        hasReceivedData = true
      },
      foreign: { [unowned self] answer in
        if case .foreign(let language) = answer { report(.foreign(language)) }
      },
      received: { [unowned self] bytes, frames, now in
        watch(.received(bytes: bytes, frames: frames), now: now)
        handle(.received(bytes: bytes, frames: frames), now: now)
      },
      answer: { [unowned self] answer, now in
        if case .storedEpoch = answer {} else { watch(.answer(answer), now: now) }
        handle(.answer(answer), now: now)
      },
      gone: { [unowned self] error, now in lose(error, now: now) })
  }

  func ready(_ readiness: EventLoop.Readiness) {
    let now = loop.now
    if readiness.contains(.writable) { endpoint.flush(now: now) }
    // While reading is deferred, only a hang-up is reported; reading shows the cause.
    if !readiness.isDisjoint(with: [.readable, .hangup]) {
      reader.drain(now: now, isHungUp: readiness.contains(.hangup))
    }
  }

  func deliver(_ fix: Fix, at moment: Moment) {
    followSatellites(fix, now: loop.now)
    if dialogue.admits(fix, now: moment) {
      watch(.epoch(fix), now: moment)
      onEpoch(fix, moment)
    } else {
      onWithheld(fix, moment)
    }
  }
}
