import Energy
import Quantities

extension BatteryLife {
  /// The range as a sentence.
  func sentence(capacity: Double) -> String {
    func days(_ value: Double) -> String {
      value > Self.longest ? "more than \(Int(Self.longest))" : value.text(decimals: value < 10 ? 1 : 0)
    }
    return
      "a battery of \(capacity.text(decimals: 0)) mAh lasts \(days(likeliest)) days (\(days(fewest)) to \(days(most))), with "
      + "\(selfDischargePerDay.text(decimals: 0)) mAh a day of self-discharge"
  }
}

/// A battery capacity as an argument, such as `10Ah` or `2500mAh`.
enum BatteryCapacity {
  /// The capacity in mAh.
  static func milliampereHours(_ text: String) -> Double? {
    let factor: Double
    let number: Substring
    if text.hasSuffix("mAh") {
      (factor, number) = (1, text.dropLast(3))
    } else if text.hasSuffix("Ah") {
      (factor, number) = (1000, text.dropLast(2))
    } else {
      return nil
    }
    guard let value = Double(number), value > 0, value * factor <= 1e6 else { return nil }
    return value * factor
  }
}
