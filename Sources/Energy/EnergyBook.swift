import Quantities

/// The ledger of a running logger: told what each part does, it keeps a page for each day in UTC, and goes on where an
/// earlier start left off.
///
/// It reads no clock. Time in which no logger ran is on no page, and neither is what the gauge saw leave then.
public struct EnergyBook: Equatable, Sendable {
  /// Pages besides the present one; of more the two oldest become one.
  public static let mostPages = 12

  public private(set) var currents: BoardCurrents
  private var doing: [ChargeLedger.Part: EnergyShare] = [:]
  private var present: ChargeLedger
  /// UTC of the present page's start; nil while unknown.
  private var presentStart: Timestamp?
  /// Oldest first.
  private(set) var pages: [ChargeAccount] = []

  public init(_ currents: BoardCurrents, now: Moment) {
    self.currents = currents
    present = ChargeLedger(start: now)
  }

  // MARK: What happens

  /// From now on the part does this; nil: it is gone, or nobody knows. To be told what is known already costs little.
  public mutating func note(_ part: ChargeLedger.Part, does share: EnergyShare?, now: Moment) {
    guard doing[part] != share else { return }
    doing[part] = share
    if let share {
      present.enter(part, as: share, milliamperes: currents[share], now: now)
    } else {
      present.leave(part, now: now)
    }
  }

  /// So much was drawn at once.
  public mutating func note(_ charge: Charge, to share: EnergyShare) { present.add(charge, to: share) }

  /// A state that lasted while no logger ran.
  public mutating func note(_ time: Duration, of share: EnergyShare) {
    present.add(time, of: share, milliamperes: currents[share])
  }

  /// What is left in the battery; nil while it is charged, when the gauge explains nothing.
  public mutating func gauge(remaining: Charge?, now: Moment) {
    if let remaining { present.gauge(remaining: remaining, now: now) } else { present.chargerAttached() }
  }

  /// The board says other figures from now on.
  public mutating func change(_ currents: BoardCurrents, now: Moment) {
    guard currents != self.currents else { return }
    if currents.supply != self.currents.supply { turnPage(now: now) }
    self.currents = currents
    for (part, share) in doing {
      present.enter(part, as: share, milliamperes: currents[share], now: now)
    }
  }

  /// What time it is, as far as that is known: dates the present page, and begins another on another day.
  public mutating func note(time: Timestamp?, now: Moment) {
    guard let time else { return }
    guard let start = presentStart else {
      presentStart = time + (present.start - now)
      return
    }
    guard time.day != start.day else { return }
    turnPage(now: now)
    presentStart = time
  }

  private mutating func turnPage(now: Moment) {
    put(page(now: now))
    let length = now - present.start
    presentStart = presentStart.map { $0 + length }
    present = present.continued(now: now)
  }

  private mutating func put(_ page: ChargeAccount) {
    guard var last = pages.popLast() else {
      pages = [page]
      return
    }
    let isSameDay = page.start.map { $0.day == last.start?.day } ?? (last.start == nil)
    if isSameDay, last.supplyVolts == page.supplyVolts {
      last += page
      pages.append(last)
    } else {
      pages += [last, page]
    }
    while pages.count > Self.mostPages { joinOldest() }
  }

  /// A battery of another voltage cannot be added up with this one.
  private mutating func joinOldest() {
    var oldest = pages.removeFirst()
    guard let next = pages.first, oldest.supplyVolts == next.supplyVolts else { return }
    oldest += next
    pages[0] = oldest
  }

  private func page(now: Moment) -> ChargeAccount {
    present.account(start: presentStart, supply: currents.supply, now: now)
  }

  // MARK: What it says

  /// All pages that begin at `since` or later, and the one in which it lies, added up; nil: all there are. Pages from
  /// before the box was fed by another voltage are left out. While nothing is noted of the present, as by who only
  /// reads a book, the newest page counts for that.
  public func account(since: Timestamp? = nil, now: Moment) -> ChargeAccount {
    let present = page(now: now)
    let isNoted = present.duration > .zero
    let volts = isNoted ? present.supplyVolts : pages.last?.supplyVolts ?? present.supplyVolts
    var all = pages.filter { page in
      guard page.supplyVolts == volts else { return false }
      guard let since else { return true }
      return page.start.map { $0.day >= since.day } ?? false
    }
    if isNoted { all.append(present) }
    guard var sum = all.first else { return present }
    for page in all.dropFirst() { sum += page }
    return sum
  }

  /// The pages for the next start, within ``ChargeAccount/longestText`` bytes; what finds no room is joined.
  public func text(now: Moment) -> String {
    var whole = self
    whole.put(page(now: now))
    while true {
      let text = ChargeAccount.text(of: whole.pages)
      if text.utf8.count <= ChargeAccount.longestText || whole.pages.count < 2 { return text }
      whole.joinOldest()
    }
  }

  /// Takes over what an earlier start wrote by ``text(now:)``; text of any other kind is left out.
  public mutating func restore(_ text: String) {
    let later = pages
    pages = []
    for page in ChargeAccount.accounts(text: text) + later { put(page) }
  }
}
