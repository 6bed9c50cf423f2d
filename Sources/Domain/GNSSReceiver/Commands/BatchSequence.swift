/// The commands for batching: the receiver stores epochs in its memory and sends them on request.
public struct BatchSequence: Equatable, Sendable {
  /// Number of epochs that it can store; new ones replace the oldest.
  public var entries: Int
  /// Starts to store epochs, then stops their periodic output; in this order, so that none is missing.
  public var begin: [ReceiverCommand]
  /// Requests the stored epochs: their number, then each of them.
  public var retrieve: ReceiverCommand
  /// Resumes the periodic output of epochs; storing continues.
  public var resume: [ReceiverCommand]
  /// Stops storing; epochs that were not retrieved are lost.
  public var end: [ReceiverCommand]

  public init(
    entries: Int, begin: [ReceiverCommand], retrieve: ReceiverCommand, resume: [ReceiverCommand],
    end: [ReceiverCommand]
  ) {
    self.entries = entries
    self.begin = begin
    self.retrieve = retrieve
    self.resume = resume
    self.end = end
  }
}

extension UBX {
  /// Number of entries with extra PVT that fit into the memory of an M10 (309 by the MAX-M10M Integration
  /// Manual, 3.13), with a reserve.
  static let batchEntries = 300

  /// LOG-RETRIEVEBATCH (21 10) with MON-BATCH first. The answer is these messages; ACK-NAK rejects it.
  static var retrieveBatch: ReceiverCommand {
    .acknowledged("LOG-RETRIEVEBATCH", class: 0x21, id: 0x10) {
      $0.u1(0)
      $0.u1(1)
      $0.zeros(2)
    }
  }
}
