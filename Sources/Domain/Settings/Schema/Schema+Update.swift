// Settings of upgrades.

extension Schema {
  static let updateTrial = Of<Duration>(
    "update.trial", \.updateTrial, .duration(.seconds(1800) ... .days(30)), default: .days(1),
    applies: .atOnce,
    effect: .always,
    "Longest time in which a new version of the package must store and deliver as the previous one did. "
      + "Otherwise the previous one returns.")
}
