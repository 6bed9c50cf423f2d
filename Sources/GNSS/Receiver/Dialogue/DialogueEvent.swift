/// What happens to a ``ReceiverDialogue``.
public enum DialogueEvent: Equatable, Sendable {
  /// The port is open. `hasSpeed` is false for a USB port whose speed setting has no meaning (`/dev/ttyACM0`).
  case opened(hasSpeed: Bool)
  /// Bytes were read, and so many frames with a right checksum ended in them.
  case heard(bytes: Int, frames: Int)
  case answer(ReceiverAnswer)
  /// Everything written before ``DialogueAction/awaitDrain`` has left the UART.
  case drained
  /// The port is gone, or could not be opened again.
  case lost
  case want(ReceiverDemand)
}

/// What the logger wants of the receiver now. A demand replaces the one of its kind before.
public enum ReceiverDemand: Equatable, Sendable {
  case awake
  /// `duration` nil: until it is wanted awake. After a duration it is awake again without being asked. `withoutSupply`
  /// cuts its supply where that can be switched, also of one that could sleep by a command.
  case asleep(for: Duration?, withoutSupply: Bool = false)
  case setUp(SetUp)
  /// It is searched for anew, speed and all, though it seems to run. Nothing where it is not running.
  case foundAgain
  /// It starts anew, and is set up again; nothing where it is not running, or its language has no word for it.
  case restarted(StartKind)
  /// The host knows time or place. It is remembered, and told to the receiver once after each start that leaves it
  /// without a fix.
  case aid(StartAid)
  /// Which satellites it hears is to be told from now on, or no more. It is asked some seconds after its start, for a
  /// quick one needs no question.
  case satellites(Bool)
  /// It is asked once which satellites it receives, if its language has a question for that; otherwise it names them
  /// until ``satellitesNamed``, if its language has a command for that.
  case satellitesOnce
  /// The answer to ``satellitesOnce`` has come, or is no longer waited for.
  case satellitesNamed
  /// While it runs it saves charge in this way, as far as it can; see ``ReceiverDialogue/offersCyclicMode``. Each start
  /// begins with full power.
  case power(SetUp.Power)
  /// Epochs may wait in its memory for so long, as far as it can keep them; see ``ReceiverDialogue/offersBatching``.
  /// Zero, or less than is worth it: it says each by itself.
  case batches(every: Duration)
  /// What it keeps is wanted now.
  case storedEpochs
}
