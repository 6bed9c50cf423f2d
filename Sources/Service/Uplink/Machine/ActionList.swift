import Records

/// The actions of one step, in order. A request for a batch is a part of the last acknowledgement, because both are one
/// job of the log.
struct ActionList {
  private(set) var list: [DeliveryMachine.Action] = []
  private var acknowledgement: (index: Int, position: BatchPosition)?

  mutating func append(_ action: DeliveryMachine.Action) { list.append(action) }

  mutating func acknowledge(_ position: BatchPosition) {
    acknowledgement = (list.endIndex, position)
    list.append(.acknowledge(at: position, next: nil))
  }

  mutating func load(_ request: BatchRequest) {
    guard let (index, position) = acknowledgement else { return list.append(.loadBatch(request)) }
    list[index] = .acknowledge(at: position, next: request)
    acknowledgement = nil
  }
}
