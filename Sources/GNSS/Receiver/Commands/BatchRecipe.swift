/// How a receiver is brought to keep its epochs in its own memory and to tell them when asked.
public struct BatchRecipe: Equatable, Sendable {
  /// So many it keeps; the oldest make room.
  public var entries: Int
  /// It begins anew to keep epochs, and says none by itself any more; in this order, so that none is missing.
  public var begin: [ReceiverCommand]
  /// Asks for what is kept: how many there are, then each of them.
  public var retrieve: ReceiverCommand
  /// It says each epoch by itself again, and goes on keeping them.
  public var resume: [ReceiverCommand]
  /// It keeps none any more; what was not asked for is lost.
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
  /// Entries with extra PVT for which M10 has room (309 by the MAX-M10M Integration Manual, 3.13), and some less.
  static let batchEntries = 300

  /// LOG-RETRIEVEBATCH (21 10) with MON-BATCH first. Answered by these messages, refused by ACK-NAK.
  static var retrieveBatch: ReceiverCommand {
    .acknowledged("LOG-RETRIEVEBATCH", class: 0x21, id: 0x10) {
      $0.u1(0)
      $0.u1(1)
      $0.zeros(2)
    }
  }
}
