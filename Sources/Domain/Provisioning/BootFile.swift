/// A file on the boot partition that sets up the device.
public enum BootFile: String, Sendable, CaseIterable {
  /// A whole configuration.
  case configuration = "outrider.json5"
  /// One line: a setup URL, or the address of a configuration.
  case address = "outrider.url"

  /// The largest file, in bytes.
  public static let largest = 64 << 10
  /// The file with the reason why a file was not applied.
  public static let errorName = "outrider.error.txt"
  /// The directories of the boot partition, in the order of the search: Debian 12 and later, then earlier releases.
  public static let directories = ["/boot/firmware", "/boot"]

  /// The name of the copy without secrets.
  public var appliedName: String { rawValue + ".applied" }

  /// The file for which a wrong name was probably meant; nil for any other name. Windows hides known extensions, so
  /// that editors add a second one.
  static func meant(by name: String) -> BootFile? {
    switch name.lowercased() {
    case "outrider.json5.txt", "outrider.json", "outrider.json.txt", "outrider.json5.json",
      "outrider.json5.json5":
      .configuration
    case "outrider.url.txt", "outrider.txt", "outrider.url.url": .address
    default: nil
    }
  }
}

/// The files in a directory of the boot partition that concern the set-up.
struct BootFindings: Equatable {
  /// The files with a right name, as the directory spells it. FAT does not distinguish upper and lower case.
  var files: [BootFile: String] = [:]
  /// The files with a wrong name, and the files that were probably meant.
  var mistaken: [String: BootFile] = [:]

  init(names: [String]) {
    for name in names.sorted() {
      if let file = BootFile(rawValue: name.lowercased()) {
        if files[file] == nil || name == file.rawValue { files[file] = name }
      } else if let meant = BootFile.meant(by: name) {
        mistaken[name] = meant
      }
    }
  }

  var isEmpty: Bool { files.isEmpty && mistaken.isEmpty }
}
