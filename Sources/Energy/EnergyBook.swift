import Quantities

/// The ledger of a running logger: told what each part does, it keeps a page for each day of the clock on the wall, and
/// goes on where an earlier start left off. Days are the finest grain it keeps; one ends when the book is first told of
/// the next.
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
  private var presentDay: Int?
  /// When the radio after a sending will have been let go; nil at any other time.
  var radioTailEnds: Moment?
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

  /// Beside all that lasts, the share took so much time: of the processor or of storage, or while no logger ran.
  public mutating func spend(_ time: Duration, as share: EnergyShare) {
    present.add(time, at: currents[share], to: share)
  }

  /// So much was drawn at once.
  public mutating func note(_ charge: Charge, to share: EnergyShare) { present.add(charge, to: share) }

  /// What is left in the battery; nil while it is charged, when the gauge explains nothing.
  public mutating func gauge(remaining: Charge?, now: Moment) {
    endTail(now: now)
    if let remaining { present.gauge(remaining: remaining, now: now) } else { present.chargerAttached() }
  }

  /// The board says other figures from now on.
  public mutating func change(_ currents: BoardCurrents, now: Moment) {
    guard currents != self.currents else { return }
    endTail(now: now)
    if currents.supply != self.currents.supply { turnPage(now: now) }
    self.currents = currents
    for (part, share) in doing {
      present.enter(part, as: share, milliamperes: currents[share], now: now)
    }
  }

  /// What time it is, as far as that is known: dates the present page, and begins another on another day. `ahead` is how
  /// far the clock on the wall is ahead of UTC then.
  public mutating func note(time: Timestamp?, ahead: Duration = .zero, now: Moment) {
    guard let time else { return }
    endTail(now: now)
    let day = (time + ahead).day
    guard presentStart != nil else {
      let start = time + (present.start - now)
      (presentStart, presentDay) = (start, (start + ahead).day)
      return
    }
    guard day != presentDay else { return }
    turnPage(now: now)
    (presentStart, presentDay) = (time, day)
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
    if page.day == last.day, last.supplyVolts == page.supplyVolts {
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
    var page = present.account(start: presentStart, supply: currents.supply, now: now)
    page.day = presentDay
    return page
  }

  var isSending: Bool { doing[.radio] == .radioSending }

  // MARK: What it says

  /// The page of the day `since`, counted as by ``ChargeAccount/day``, and all later ones, added up; nil: all there are.
  /// Pages from before the box was fed by another voltage are left out. While nothing is noted of the present, as by who
  /// only reads a book, the newest page counts for that.
  public func account(since: Int? = nil, now: Moment) -> ChargeAccount {
    let present = page(now: now)
    let isNoted = present.duration > .zero
    let volts = isNoted ? present.supplyVolts : pages.last?.supplyVolts ?? present.supplyVolts
    var all = pages.filter { page in
      guard page.supplyVolts == volts else { return false }
      guard let since else { return true }
      return page.day.map { $0 >= since } ?? false
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
