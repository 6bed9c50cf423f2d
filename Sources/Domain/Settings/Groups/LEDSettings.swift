/// The lights of the device.
public struct LEDSettings: Equatable, Sendable {
  /// The light that shows that tracking is on; nil for none.
  public var status: Light? = Schema.statusLED.fallback

  /// The interface to a light.
  public enum Light: Equatable, Sendable {
    /// A light of the kernel, by its name in `/sys/class/leds`.
    case named(String)
    case line(LineSettings)
  }

  public init() {}
}

extension Schema {
  static let statusLED = Of<LEDSettings.Light?>(
    "leds.status", \.leds.status, .optionalComponent(.light, mayBeNamed: true), default: nil,
    applies: .afterRestart,
    effect: .requires(.indicator),
    alsoCalled: ["led"],
    "Light that is on while tracking is on, if main.background_indicator or "
      + "trip.background_indicator enables it. It costs the current of the light.")
}

extension LEDSettings {
  /// The declarations in the order of the reference.
  static let declared: [any SettingDeclaration<Configuration>] = [
    Schema.statusLED
  ]
}

extension SettingKind where Value == LEDSettings.Light {
  static var light: Self {
    let line = SettingKind<LineSettings>.line
    let expected = "the name of an LED in /sys/class/leds, or \(line.expected)"
    return SettingKind(
      expected: expected, isLiteral: false, isCompound: true, members: line.members,
      text: { light in
        switch light {
        case .named(let name): name
        case .line(let wiring): line.text(wiring)
        }
      },
      written: { light, reveals in
        switch light {
        case .named(let name): .text(name)
        case .line(let wiring): line.written(wiring, reveals)
        }
      }
    ) { value, path, findings in
      switch value {
      case .group: return line.read(value, path, &findings).map { .line($0) }
      case .text: return SettingKind<String>.kernelName.read(value, path, &findings).map { .named($0) }
      case .null, .boolean, .number, .list:
        findings.add(.value, path) { .wrongType($0, expected: expected, got: value.kind) }
        return nil
      }
    }
  }
}
