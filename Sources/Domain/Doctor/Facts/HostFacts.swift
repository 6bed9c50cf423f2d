/// The machine, its boot files and the files of the package.
public struct HostFacts: Equatable, Sendable {
  /// The model by the device tree, as in `Raspberry Pi Zero 2 W Rev 1.0`; nil without one.
  public var model: String?
  /// The kernel's name of the machine, as in `aarch64`.
  public var machine = ""
  /// True if the C library of the system is a 32-bit one.
  public var has32BitLibraries = false
  public var boot = BootFiles()
  public var accounts = Accounts()
  /// True if dpkg installed the package outrider.
  public var isPackaged = false
  /// Path of the udev rules; nil if there are none.
  public var udevRules: String?
  /// Path of the polkit rules; nil if there are none or this user cannot see them.
  public var polkitRules: Fact<String> = .absent
  public var hasPolkit = false
  /// The names in /sys/class/watchdog.
  public var watchdogs: [String] = []
  /// True if AppArmor is enabled; nil if the kernel does not have it.
  public var hasAppArmor: Bool?

  public init() {}

  var isRaspberryPi: Bool { model?.hasPrefix("Raspberry Pi") == true }

  /// True for the models that give the full UART to Bluetooth: the mini UART is on the header by default. Compute
  /// Module 3 has no Bluetooth.
  var hasMiniUART: Bool {
    guard let model, isRaspberryPi, !isPi5 else { return false }
    return ["Zero W", "Zero 2", "Pi 3", "Pi 4", "Pi 400", "Compute Module 4"]
      .contains { model.contains($0) }
  }

  var isPi5: Bool {
    guard let model else { return false }
    return ["Pi 5", "Compute Module 5"].contains { model.contains($0) }
  }
}

/// The files from which a Raspberry Pi boots, and the kernel's command line.
public struct BootFiles: Equatable, Sendable {
  /// Path of config.txt; nil if there is none.
  public var configurationPath: String?
  private var lines: [Line] = []

  /// A line of config.txt with the filter before it.
  private struct Line: Equatable {
    var section: String
    var text: String
  }

  /// The words of /proc/cmdline.
  public var kernelWords: [String] = []
  /// The words of cmdline.txt, which the firmware completes to those of /proc/cmdline; nil if it cannot be read.
  public var fileWords: [String]?

  public init() {}

  /// Reads config.txt: lines with the section they are in. `[all]` ends every section. `commandLine` is the text of
  /// cmdline.txt.
  public init(path: String?, configuration: String, kernelLine: String, commandLine: String? = nil) {
    configurationPath = path
    fileWords = commandLine.map { $0.split { $0.isWhitespace }.map(String.init) }
    var section = "all"
    for line in configuration.split(whereSeparator: \.isNewline) {
      let text = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
      if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
        section = String(text[text.index(after: text.startIndex)..<end]).lowercased()
      } else if !text.isEmpty {
        lines.append(Line(section: section, text: text))
      }
    }
    kernelWords = kernelLine.split { $0.isWhitespace }.map(String.init)
  }

  /// Returns true if a line that applies to the model begins with `text`.
  public func has(_ text: String, model: String?) -> Bool {
    lines.contains {
      Self.applies($0.section, to: model ?? "") && ($0.text == text || $0.text.hasPrefix("\(text),"))
    }
  }

  /// True for `[all]` and for the filter of this model. Unknown filters count as not applying.
  private static func applies(_ section: String, to model: String) -> Bool {
    switch section {
    case "all": true
    case "pi5": model.contains("Pi 5") || model.contains("Compute Module 5")
    case "cm5": model.contains("Compute Module 5")
    case "pi4": model.contains("Pi 4") || model.contains("Compute Module 4")
    case "cm4": model.contains("Compute Module 4")
    case "pi400": model.contains("Pi 400")
    case "pi3": model.contains("Pi 3") || model.contains("Compute Module 3")
    case "pi02": model.contains("Zero 2")
    case "pi0", "pi0w": model.contains("Zero W")
    default: false
    }
  }

  /// Path of cmdline.txt on the boot partition that was found; the usual one if there is no config.txt.
  public var commandLinePath: String { Self.commandLinePath(besides: configurationPath) }

  /// Path of cmdline.txt in the directory of config.txt.
  public static func commandLinePath(besides configuration: String?) -> String {
    guard let configuration, let slash = configuration.lastIndex(of: "/") else {
      return "/boot/firmware/cmdline.txt"
    }
    return "\(configuration[..<slash])/cmdline.txt"
  }

  /// Returns the value of the kernel's word `NAME=VALUE`; the last one counts.
  public func kernelValue(_ name: String) -> String? {
    kernelWords.last { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
  }

  /// The serial consoles of the kernel's command line without options, as in `ttyAMA0`.
  public var consoles: [String] {
    kernelWords.filter { $0.hasPrefix("console=") }.map {
      String($0.dropFirst(8).prefix { $0 != "," })
    }
  }
}
