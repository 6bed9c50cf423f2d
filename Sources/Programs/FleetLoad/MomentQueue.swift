import Quantities

/// A queue of numbers by their time: a binary heap.
struct MomentQueue {
  private var items: [(time: Moment, number: Int)] = []

  var earliest: Moment? { items.first?.time }

  mutating func insert(_ number: Int, at time: Moment) {
    items.append((time, number))
    var child = items.count - 1
    while child > 0, items[child].time < items[(child - 1) / 2].time {
      items.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes and returns the first number that is due.
  mutating func takeDue(now: Moment) -> Int? {
    guard let first = items.first, first.time <= now else { return nil }
    let last = items.removeLast()
    guard !items.isEmpty else { return first.number }
    items[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < items.count else { break }
      if child + 1 < items.count, items[child + 1].time < items[child].time { child += 1 }
      guard items[child].time < items[parent].time else { break }
      items.swapAt(child, parent)
      parent = child
    }
    return first.number
  }
}
