import GNSSProtocol

/// An input of a ``ReceiverDialogue``: a change of the port, received data, or a request of the logger.
public enum DialogueEvent: Equatable, Sendable {
  /// The port is open. `hasSpeed` is false for a USB port, whose baud rate has no meaning (`/dev/ttyACM0`).
  case opened(hasSpeed: Bool)
  /// Bytes were read; `frames` is the number of frames with a valid checksum that ended in them.
  case received(bytes: Int, frames: Int)
  case answer(ReceiverAnswer)
  /// Everything written before ``DialogueAction/awaitDrain`` has left the UART.
  case drained
  /// The port disappeared or could not be opened again.
  case lost
  case request(DesiredReceiverState)
}

/// A request of the logger to the receiver. It replaces the previous request of its kind.
public enum DesiredReceiverState: Equatable, Sendable {
  case awake
  /// Sleep for `duration`, then wake without another request; nil: until `awake`. `withoutSupply` cuts the
  /// supply if it can be switched, even if the receiver has a sleep command.
  case asleep(for: Duration?, withoutSupply: Bool = false)
  case setUp(SetUp)
  /// Search for the receiver again, baud rate included, although it seems to run. Ignored unless it is
  /// running.
  case foundAgain
  /// Restart the receiver and configure it again. Ignored unless it is running and its family has a restart
  /// command.
  case restarted(StartKind)
  /// Time or position of the host. The dialogue keeps them and sends them once after each start that leaves
  /// the receiver without a fix.
  case aid(StartAid)
  /// Start or stop reporting satellites in view. The receiver is polled some seconds after its start, because
  /// a hot start needs no poll.
  case satellites(Bool)
  /// Poll the satellites in view once if the family has a poll. Otherwise the receiver reports them until
  /// ``satelliteRequestEnded``, if the family has a command for that.
  case satellitesOnce
  /// The answer to ``satellitesOnce`` has arrived or is no longer expected.
  case satelliteRequestEnded
  /// Power mode while the receiver runs, if it is available; see
  /// ``ReceiverDialogue/offersCyclicMode``. Every start begins in continuous mode.
  case power(SetUp.Power)
  /// Longest time that epochs may stay in the receiver's memory, if it can store them; see
  /// ``ReceiverDialogue/offersBatching``. With zero or a time too short to be useful, the receiver reports
  /// every epoch immediately.
  case batches(every: Duration)
  /// Retrieve the stored epochs now.
  case storedEpochs
}
