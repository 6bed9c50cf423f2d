import Quantities

extension DayLog {
  /// The records as `t_unix,lat,lon`, times strictly ascending.
  public var pointsText: String {
    var text = "t_unix,lat,lon\n"
    for point in points {
      text += (start + point.time).text(decimals: 3)
      text += "," + point.position.latitude.text(decimals: 7)
      text += "," + point.position.longitude.text(decimals: 7) + "\n"
    }
    return text
  }

  /// The intervals in which the receiver was powered, with its state, as `t_on,t_off,state`.
  public var intervalsText: String {
    var text = "t_on,t_off,state\n"
    for interval in intervals {
      text += (start + interval.start).text(decimals: 3) + "," + (start + interval.end).text(decimals: 3)
      text += "," + interval.power.rawValue + "\n"
    }
    return text
  }
}
