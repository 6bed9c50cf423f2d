import LoggerConfiguration
import Settings
import Testing
import TextSnapshots

@Suite struct WiringTests {
  static let texts = TextSnapshot("settings")

  static let chips = ChipNames(
    accelerometers: ["lis3dh", "adxl345"], gauges: ["max17048", "max17049", "ina226"],
    addresses: ["lis3dh": [0x18, 0x19], "max17048": [0x36], "ina226": Array(0x40...0x4F)],
    cellsOfGauges: ["max17048": 1, "max17049": 2])

  /// The errors of a board that is read with the chips above.
  static func findings(_ board: String) -> [String] {
    do throws(SettingsErrors) {
      _ = try Configuration.read(
        board: SourceText(name: "board.json5", bytes: Array("{ title: 'x', \(board) }".utf8)), file: nil,
        overrides: [], fallbacks: Fallbacks(deviceID: "", apiSocket: ""), chips: chips)
      return []
    } catch {
      return error.errors.map(\.description)
    }
  }

  @Test func everyComponentIsReadWithItsWiring() throws {
    let board = try configuration(
      board: """
        {
          title: "all",
          receiver: {
            port: "/dev/serial0", module: "u-blox MAX-M10S", enable: { chip: "/dev/gpiochip0", line: 27 },
          },
          accelerometer: {
            chip: "lis3dh", bus: "/dev/i2c-1", address: 0x18,
            interrupt: { chip: "/dev/gpiochip0", line: 17, active_low: true },
          },
          gauge: {
            chip: "ina226", bus: "/dev/i2c-1", address: 0x40, shunt_ohm: 0.02, largest_current_A: 4,
            capacity_mAh: 2000, cells: 4, reversed: true,
          },
          lines: { ignition: { chip: "/dev/gpiochip1", line: 0 } },
          leds: { status: { chip: "/dev/gpiochip0", line: 5 } },
          rtc: "/dev/rtc0",
          energy: { host_idle: { mA: 120, V: 5, source: "measured" } },
        }
        """)
    #expect(board.receiver.module == "u-blox MAX-M10S")
    #expect(board.receiver.enable == LineSettings(chip: "/dev/gpiochip0", line: 27))
    #expect(
      board.accelerometer
        == AccelerometerSettings(
          chip: "lis3dh", bus: "/dev/i2c-1", address: 0x18,
          interrupt: LineSettings(chip: "/dev/gpiochip0", line: 17, isActiveLow: true)))
    let gauge = try #require(board.gauge)
    #expect(gauge.source == .chip("ina226", bus: "/dev/i2c-1") && gauge.address == 0x40)
    #expect(gauge.shuntOhm == 0.02 && gauge.largestCurrentA == 4 && gauge.isReversed)
    #expect(gauge.capacityMAh == 2000 && gauge.cells == 4)
    #expect(board.lines.ignition == LineSettings(chip: "/dev/gpiochip1", line: 0))
    #expect(board.leds.status == .line(LineSettings(chip: "/dev/gpiochip0", line: 5)))
    #expect(board.clockChip == "/dev/rtc0")
    #expect(
      board.energy.currents == [.hostIdle: CurrentFigure(milliamperes: 120, volts: 5, source: "measured")])
    #expect(board.origins["gauge"] == .board)
  }

  @Test func aBatteryOfTheKernelIsReadByItsName() throws {
    let board = try configuration(board: "{ title: 'x', gauge: { power_supply: 'BAT0' } }")
    #expect(board.gauge == GaugeSettings(.powerSupply("BAT0")))
    #expect(board.rows.first { $0.setting.path == "gauge" }?.value == "{ power_supply: BAT0 }")
  }

  @Test func theNumberOfCellsIsReadForEveryGauge() throws {
    let kernels = try configuration(board: "{ title: 'x', gauge: { power_supply: 'BAT0', cells: 3 } }")
    #expect(kernels.gauge?.source == .powerSupply("BAT0") && kernels.gauge?.cells == 3)
    #expect(kernels.rows.first { $0.setting.path == "gauge" }?.value == "{ cells: 3, power_supply: BAT0 }")
    #expect(Self.findings("gauge: { chip: 'max17048', bus: '/b', cells: 1 }").isEmpty)
    #expect(Self.findings("gauge: { chip: 'ina226', bus: '/b', cells: 30 }").isEmpty)
  }

  static let bad: [(board: String, expectedText: [String])] = [
    (
      "accelerometer: { chip: 'lis3dg', bus: '/b' }",
      ["accelerometer.chip: ", "\"lis3dg\"", "lis3dh?", "lis3dh, adxl345"]
    ),
    ("gauge: { chip: 'lis3dh', bus: '/b' }", ["gauge.chip: ", "max17048, max17049, ina226"]),
    (
      "accelerometer: { chip: 'lis3dh', bus: '/b', address: 0x07 }",
      ["accelerometer.address", "0x08 to 0x77"]
    ),
    ("gauge: { chip: 'ina226', bus: '/b', address: 0x78 }", ["gauge.address", "0x08 to 0x77"]),
    ("gauge: { chip: 'ina226', bus: '/b', address: 64.5 }", ["gauge.address", "64.5"]),
    ("gauge: { chip: 'ina226', bus: '/b', address: '0x40' }", ["gauge.address", "got \"0x40\""]),
    (
      "accelerometer: { chip: 'lis3dh', bus: '/b', interrupt: { line: 17 } }",
      ["accelerometer.interrupt.chip: missing"]
    ),
    ("lines: { ignition: { chip: '/dev/gpiochip0' } }", ["lines.ignition.line: missing"]),
    ("lines: { ignition: { chip: '/c', line: -1 } }", ["lines.ignition.line", "0 to 65535"]),
    ("lines: { ignition: { chip: '/c', line: 1, activelow: true } }", ["did you mean", "active_low?"]),
    ("accelerometer: { chip: 'lis3dh' }", ["accelerometer.bus: missing"]),
    (
      "gauge: { chip: 'ina226', bus: '/b', power_supply: 'BAT0' }",
      ["gauge.power_supply: ", "gauge.chip"]
    ),
    ("gauge: { power_supply: 'BAT0', reversed: true }", ["gauge.reversed"]),
    ("gauge: { power_supply: '../BAT0' }", ["gauge.power_supply"]),
    ("gauge: { chip: 'ina226' }", ["gauge.bus: missing"]),
    ("gauge: { shunt_ohm: 0.1 }", ["gauge.chip: missing"]),
    ("gauge: { chip: 'ina226', bus: '/b', shunt_ohm: 0 }", ["gauge.shunt_ohm", "in Ω"]),
    ("gauge: { chip: 'ina226', bus: '/b', largest_current_A: NaN }", ["gauge.largest_current_A"]),
    ("gauge: { chip: 'ina226', bus: '/b', cells: 0 }", ["gauge.cells", "1 to 30"]),
    ("gauge: { chip: 'ina226', bus: '/b', cells: 2.5 }", ["gauge.cells", "2.5"]),
    (
      "gauge: { chip: 'max17049', bus: '/b', cells: 3 }",
      ["gauge.cells: expected 2", "max17049"]
    ),
    (
      "accelerometer: { chip: 'lis3dh', bus: '/b', address: 0x1A }",
      ["accelerometer.address: expected 0x18 or 0x19", "lis3dh", "0x1a"]
    ),
    (
      "gauge: { chip: 'max17048', bus: '/b', address: 0x55 }",
      ["gauge.address: expected 0x36", "max17048", "0x55"]
    ),
    (
      "gauge: { chip: 'ina226', bus: '/b', address: 0x50 }",
      ["gauge.address: expected 0x40 to 0x4f", "ina226"]
    ),
    ("gauge: { cells: 2 }", ["gauge.chip: missing"]),
    ("gauge: 'on'", ["gauge: expected { chip?", "or \"off\", got \"on\""]),
    ("leds: { status: '..' }", ["leds.status"]),
    ("leds: { status: 3 }", ["leds.status: expected", "/sys/class/leds"]),
    ("clock: { chrony: 'chrony.sock' }", ["clock.chrony: expected", "absolute path", "chrony.sock"]),
    ("clock: { chrony: 1 }", ["clock.chrony: expected"]),
    (
      "clock: { chrony: '/\(String(repeating: "x", count: 107))' }", ["clock.chrony: expected", "107 bytes"]
    ),
    ("rtc: 0", ["rtc: expected \"off\" or a path"]),
    ("energy: { host_idel: { mA: 1, V: 5, source: 's' } }", ["did you mean energy.host_idle?"]),
    ("energy: { host_idle: { mA: 1, V: 5 } }", ["energy.host_idle.source: missing"]),
    ("energy: { host_idle: 120 }", ["energy.host_idle: expected { mA, V, source }"]),
    ("energy: { host_idle: { mA: -1, V: 5, source: 's' } }", ["energy.host_idle.mA", "0 to 20000"]),
  ]

  @Test(arguments: bad)
  func invalidWiringIsRejectedOnceWithItsPosition(board: String, expectedText: [String]) throws {
    let refused = Self.findings(board)
    #expect(refused.count == 1)
    let message = refused.first ?? ""
    #expect(message.hasPrefix("board.json5:1:"), "\(message)")
    for words in expectedText { #expect(message.contains(words), "\(message)") }
    #expect(message == Self.texts.expected("wiring: \(board)", message))
  }

  /// This applies to lines of different sources and of different polarity.
  @Test func aGPIOLineHasOneUse() {
    let interrupt = "{ chip: 'lis3dh', bus: '/b', interrupt: { chip: '/dev/gpiochip0', line: 17 } }"
    let enable = "{ chip: '/dev/gpiochip0', line: 17, active_low: true }"
    let single = refusals(file: "{ accelerometer: \(interrupt) }", set: ["receiver.enable=\(enable)"])
    #expect(single.map { $0.prefix { $0 != ":" } } == ["accelerometer.interrupt"])
    let both = Self.findings(
      "accelerometer: \(interrupt), receiver: { enable: \(enable) }, lines: { ignition: \(enable) }")
    #expect(both.map { $0.prefix { $0 != ":" } } == ["accelerometer.interrupt", "lines.ignition"])
    #expect(both.first == single.first)
    let text = both.joined(separator: "\n")
    #expect(text == Self.texts.expected("line taken twice", text))
    #expect(
      Self.findings(
        "accelerometer: \(interrupt), leds: { status: { chip: '/dev/gpiochip1', line: 17 } }"
      ).isEmpty)
  }

  @Test func withoutDriversAnyChipIsAccepted() throws {
    let board = try configuration(board: "{ title: 'x', gauge: { chip: 'new', bus: '/dev/i2c-1' } }")
    #expect(board.gauge == GaugeSettings(.chip("new", bus: "/dev/i2c-1")))
  }

  static let board = """
    {
      title: 'x', rtc: '/dev/rtc0', gauge: { chip: 'ina226', bus: '/dev/i2c-1', shunt_ohm: 0.02 },
      leds: { status: 'ACT' },
      energy: {
        host_idle: { mA: 120, V: 5, source: 'CNX' }, receiver_tracking: { mA: 10, V: 3, source: 'sheet' },
      },
    }
    """

  @Test func aComponentOfTheConfigurationReplacesThatOfTheBoard() throws {
    let read = try configuration(
      board: Self.board, file: "{ gauge: { chip: 'max17048', bus: '/dev/i2c-3' } }")
    #expect(read.gauge == GaugeSettings(.chip("max17048", bus: "/dev/i2c-3")))
    #expect(read.origins["gauge"] == .file && read.origins["rtc"] == .board)
  }

  @Test func aMissingComponentIsSwitchedOffInAnySource() throws {
    let inFile = try configuration(
      board: Self.board, file: "{ gauge: 'off', rtc: 'off', leds: { status: 'off' } }")
    let overridden = try configuration(board: Self.board, set: ["gauge=off", "rtc=off", "leds.status=off"])
    for read in [inFile, overridden] {
      #expect(read.gauge == nil && read.clockChip == nil && read.leds.status == nil)
    }
  }

  @Test func aMeasuredCurrentReplacesOnlyThatCurrent() throws {
    let read = try configuration(
      board: Self.board, set: ["energy={ host_idle: { mA: 88, V: 5, source: 'measured' } }"])
    #expect(read.energy.currents[.hostIdle]?.milliamperes == 88)
    #expect(read.energy.currents[.receiverTracking]?.source == "sheet")
    let tail = try configuration(
      board: "{ title: 'x', energy: { modem_tail_lasts: '12s' } }",
      set: ["energy={ host_idle: { mA: 88, V: 5, source: 'measured' } }"])
    #expect(tail.energy.modemTail == .seconds(12))
  }

  @Test func theErrorForASingleMemberOfAGroupNamesTheGroup() {
    let messages = refusals(set: ["gauge.chip=ina226"])
    #expect(messages == [Self.texts.expected("member of a group", messages.joined(separator: "\n"))])
  }

  @Test func everyConsumerHasADescription() {
    #expect(Consumer.allCases.allSatisfy { $0.sentence.hasSuffix(".") })
  }
}
