import Quantities

/// PUBX sentences.
extension UbloxFirmware {
  mutating func handle(_ fields: [String], _ core: inout ModuleCore) {
    guard fields[0] == "PUBX" else {
      if item(UbloxKey.outNMEA) == 1 { core.answer("\(talker)TXT,01,01,01,NMEA unknown msg") }
      return
    }
    switch (fields.dropFirst().first, fields.count) {
    case ("40", 8...9):
      if let row = UbloxKey.sentences.first(where: { $0.kind.rawValue == fields[2] }),
        let rate = UInt8(fields[4])
      {
        present[row.key] = UInt64(rate)
      }
    case ("41", 7): setPort(fields)
    case ("00", 2): if let lastEpoch { core.answer(position(lastEpoch)) }
    case ("04", 2): if let lastEpoch { core.answer(time(lastEpoch)) }
    default: break
    }
  }

  private mutating func setPort(_ fields: [String]) {
    guard fields[2] == "1", let input = UInt64(fields[3], radix: 16),
      let output = UInt64(fields[4], radix: 16),
      let speed = UInt64(fields[5]), Self.speeds.contains(speed)
    else { return }
    present[UbloxKey.baudRate] = speed
    setProtocols(input: input, output: output)
  }

  private func position(_ epoch: ModuleEpoch) -> String {
    let style = generation.style
    let start = "PUBX,00,\(style.clock(epoch)),\(style.coordinates(epoch))"
    guard let fix = epoch.fix else { return "\(start),0.000,NF,,,,,,,99.99,99.99,99.99,0,0,0" }
    let north = fix.sigma.north
    let horizontal = (north * north + fix.sigma.east * fix.sigma.east).squareRoot()
    let numbers = [
      fix.altitude + ModuleEpoch.geoidSeparation, horizontal, fix.sigma.up, fix.speed * 3.6, fix.course ?? 0,
    ].map { ModuleText.decimal($0, 2) }
    let dilutions = [1, 1.4, 0.9].map { ModuleText.decimal(fix.horizontalDilution * $0, 2) }.joined(
      separator: ",")
    return "\(start),\(numbers[0]),G3,\(numbers.dropFirst().joined(separator: ",")),0.00,,\(dilutions),"
      + "\(fix.satellites),0,0"
  }

  private func time(_ epoch: ModuleEpoch) -> String {
    let date = epoch.time.date
    let day = [date.day, date.month, date.year % 100].map { ModuleText.padded($0, 2) }.joined()
    let seconds = epoch.time.milliseconds &- 315_964_800_000 &+ 18_000
    let week = seconds / 604_800_000
    let ofWeek = ModuleText.decimal(Double(seconds % 604_800_000) / 1000, 2)
    return
      "PUBX,04,\(generation.style.clock(epoch)),\(epoch.knowsDate ? day : ""),\(ofWeek),\(week),18,0,0.000,21"
  }
}
