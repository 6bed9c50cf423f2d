import Provisioning

/// Sets up a board: overlays, serial port and services. It must not start the system again.
protocol BoardSetup {
  /// Applies a board by its name, without questions.
  func setUp(board: String) -> BoardOutcome
}

/// The answer of a program that cannot set up boards.
struct UnavailableBoardSetup: BoardSetup {
  func setUp(board: String) -> BoardOutcome {
    .failed("this version cannot set up boards; follow the preparation in outrider boards \(board)")
  }
}
