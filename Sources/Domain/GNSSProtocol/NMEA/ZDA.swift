import Quantities

/// Time and date with the century. Before a fix it may come from a battery-backed clock.
///
/// In most receivers its time is that of the position. Trimble prints the time of transmission, some
/// hundredths of a second later. Receivers that announce the next pulse print the second of that pulse.
struct ZDA: EpochSentence {
  static let kind = MessageKind.zda
  static let supplies: Supplies = [.date]

  let talker: Talker
  let time: EpochTime?
  let date: CalendarDate?

  init(_ fields: inout SentenceFields, talker: Talker) {
    self.talker = talker
    time = fields.next().timeOfDay.map(EpochTime.init(printed:))
    let (day, month, year) = (fields.next().whole, fields.next().whole, fields.next())
    guard let day, let month, year.count == 4, let year = year.whole else {
      date = nil
      return
    }
    date = CalendarDate(ofReceiver: year, month: month, day: day)
  }

  func contribute(to epoch: inout Epoch) {
    epoch.date(date, at: time, rank: Rank(talker, .fullPosition))
  }
}
