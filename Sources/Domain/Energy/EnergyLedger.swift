import Quantities

/// The charge ledger of the running logger, with one account per day in local time. It continues across restarts.
///
/// The daemon owns it and reports the states of the consumers. A day is the smallest period; it ends with the first
/// call on the next day. The ledger reads no clock. It does not include time in which the logger did not run, nor the
/// charge that the gauge measured then.
public struct EnergyLedger: Equatable, Sendable {
  /// The maximum number of stored accounts besides the present one. Beyond it the two oldest are merged.
  public static let mostDayAccounts = 12

  public private(set) var currents: BoardCurrents
  private var currentShares: [ChargeLedger.Part: EnergyShare] = [:]
  private var present: ChargeLedger
  /// The start of the present account in UTC; nil while unknown.
  private var presentStart: Timestamp?
  private var presentDay: Int?
  /// The end of the radio's active time after sending; nil at any other time.
  private var radioTailEnds: Moment?
  /// The stored accounts, oldest first.
  private(set) var dayAccounts: [ChargeAccount] = []

  public init(_ currents: BoardCurrents, now: Moment) {
    self.currents = currents
    present = ChargeLedger(start: now)
  }

  // MARK: Recording

  /// Starts a state of a part; nil: it is gone, or its state is unknown. A repeated state has no effect.
  public mutating func record(_ part: ChargeLedger.Part, drawing share: EnergyShare?, now: Moment) {
    guard currentShares[part] != share else { return }
    currentShares[part] = share
    if let share {
      present.enter(part, as: share, milliamperes: currents[share], now: now)
    } else {
      present.leave(part, now: now)
    }
  }

  /// Adds time of a share that is not a part with states: processor, storage, or the time while no logger ran.
  public mutating func spend(_ time: Duration, as share: EnergyShare) {
    present.add(time, at: currents[share], to: share)
  }

  /// Adds a single amount of charge.
  public mutating func record(_ charge: Charge, to share: EnergyShare) { present.add(charge, to: share) }

  /// Processes the charge in the battery as measured by the gauge; nil while charging, when the comparison is
  /// suspended.
  public mutating func gauge(remaining: Charge?, now: Moment) {
    endTail(now: now)
    if let remaining { present.gauge(remaining: remaining, now: now) } else { present.chargerAttached() }
  }

  /// Changes the current figures.
  public mutating func change(_ currents: BoardCurrents, now: Moment) {
    guard currents != self.currents else { return }
    endTail(now: now)
    if currents.supply != self.currents.supply { closeDayAccount(now: now) }
    self.currents = currents
    for (part, share) in currentShares {
      present.enter(part, as: share, milliamperes: currents[share], now: now)
    }
  }

  /// Processes the present time, if it is known: dates the present account, and starts a new one on another day.
  ///
  /// `ahead` is the offset of local time from UTC.
  public mutating func record(time: Timestamp?, ahead: Duration = .zero, now: Moment) {
    guard let time else { return }
    endTail(now: now)
    let day = (time + ahead).day
    guard presentStart != nil else {
      let start = time + (present.start - now)
      (presentStart, presentDay) = (start, (start + ahead).day)
      return
    }
    guard day != presentDay else { return }
    closeDayAccount(now: now)
    (presentStart, presentDay) = (time, day)
  }

  private mutating func closeDayAccount(now: Moment) {
    put(dayAccount(now: now))
    let length = now - present.start
    presentStart = presentStart.map { $0 + length }
    present = present.continued(now: now)
  }

  private mutating func put(_ dayAccount: ChargeAccount) {
    guard var last = dayAccounts.popLast() else {
      dayAccounts = [dayAccount]
      return
    }
    if dayAccount.day == last.day, last.supplyVolts == dayAccount.supplyVolts {
      last += dayAccount
      dayAccounts.append(last)
    } else {
      dayAccounts += [last, dayAccount]
    }
    while dayAccounts.count > Self.mostDayAccounts { joinOldest() }
  }

  /// Merges the two oldest accounts. If their supply voltages differ, the oldest is dropped.
  private mutating func joinOldest() {
    var oldest = dayAccounts.removeFirst()
    guard let next = dayAccounts.first, oldest.supplyVolts == next.supplyVolts else { return }
    oldest += next
    dayAccounts[0] = oldest
  }

  private func dayAccount(now: Moment) -> ChargeAccount {
    var dayAccount = present.account(start: presentStart, supply: currents.supply, now: now)
    dayAccount.day = presentDay
    return dayAccount
  }

  var isSending: Bool { currentShares[.radio] == .radioSending }

  // MARK: Reading

  /// Returns the sum of the accounts since the day `since` (see ``ChargeAccount/day``); nil: of all accounts.
  ///
  /// Accounts with another supply voltage than the present one are excluded. If nothing was recorded yet, for example
  /// because the ledger is only read, the newest account determines the voltage.
  public func account(since: Int? = nil, now: Moment) -> ChargeAccount {
    let present = dayAccount(now: now)
    let isRecorded = present.duration > .zero
    let volts = isRecorded ? present.supplyVolts : dayAccounts.last?.supplyVolts ?? present.supplyVolts
    var all = dayAccounts.filter { dayAccount in
      guard dayAccount.supplyVolts == volts else { return false }
      guard let since else { return true }
      return dayAccount.day.map { $0 >= since } ?? false
    }
    if isRecorded { all.append(present) }
    guard var sum = all.first else { return present }
    for dayAccount in all.dropFirst() { sum += dayAccount }
    return sum
  }

  /// Returns the accounts of all days, oldest first. The first may be the sum of several.
  public func days(now: Moment) -> [ChargeAccount] {
    var whole = self
    if present.account(start: nil, supply: currents.supply, now: now).duration > .zero {
      whole.put(dayAccount(now: now))
    }
    return whole.dayAccounts
  }

  /// Returns the accounts as text for the next start, at most ``ChargeAccount/longestText`` bytes. Old accounts are
  /// merged to fit.
  public func text(now: Moment) -> String {
    var whole = self
    whole.put(dayAccount(now: now))
    while true {
      let text = ChargeAccount.text(of: whole.dayAccounts)
      if text.utf8.count <= ChargeAccount.longestText || whole.dayAccounts.count < 2 { return text }
      whole.joinOldest()
    }
  }

  /// Restores the accounts from a text of ``text(now:)``; other text is ignored.
  public mutating func restore(_ text: String) {
    let later = dayAccounts
    dayAccounts = []
    for dayAccount in ChargeAccount.accounts(text: text) + later { put(dayAccount) }
  }
}

// MARK: The radio

extension EnergyLedger {
  /// Starts a state of the radio.
  ///
  /// After sending, the network keeps the radio active for the time in the board file. The end of that time causes no
  /// wake-up; it is recorded, with its time, at the next call.
  public mutating func recordRadio(_ use: RadioUse, now: Moment) {
    endTail(now: now)
    switch use {
    case .off:
      radioTailEnds = nil
      record(.radio, drawing: nil, now: now)
    case .sending:
      radioTailEnds = nil
      record(.radio, drawing: .radioSending, now: now)
    case .idle:
      guard radioTailEnds == nil else { return }
      if isSending, let tail = currents.radioTail, tail > .zero {
        radioTailEnds = now + tail
        record(.radio, drawing: .radioTail, now: now)
      } else {
        record(.radio, drawing: waiting, now: now)
      }
    }
  }

  /// Ends the active time after sending if it is over, with its exact end.
  private mutating func endTail(now: Moment) {
    guard let end = radioTailEnds, end <= now else { return }
    radioTailEnds = nil
    record(.radio, drawing: waiting, now: end)
  }

  /// The state of a waiting radio; nil if the board file includes its current in that of the host.
  private var waiting: EnergyShare? { currents[.radioWaiting].map { _ in .radioWaiting } }
}
