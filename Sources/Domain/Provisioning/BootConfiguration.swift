import Settings

/// A configuration from the boot partition or from a server, with the device's own name.
struct BootConfiguration {
  /// The text to install: the given text, comments and layout included, with the variables replaced.
  var installed: SourceText
  var board: String?
  var appliesBoard: Bool

  /// Parses the text and replaces the variables in device names. The settings themselves are not validated.
  init(_ text: BootText, name: String, identity: HostIdentity) throws(BootFault) {
    let original = try Self.parsed(SourceText(name: name, bytes: text.bytes))
    for (path, text) in original.texts where Self.isPlaceholder(text) {
      throw .placeholder(location: original.location(of: path))
    }
    var names: [String: String] = [:]
    for (path, text) in original.texts where Self.isDeviceName(path) && text.contains("${") {
      names[path] = try identity.substituted(text, at: original.location(of: path))
    }
    installed = SourceText(name: name, bytes: names.isEmpty ? text.bytes : original.replacing(names))
    board = original.text(at: "board")
    appliesBoard = original.isTrue(at: "apply_board")
    if appliesBoard, board == nil { throw .noBoard(path: name) }
  }

  /// The copy for the boot partition, with the time as a comment.
  static func applied(_ text: [UInt8], name: String, time: String, target: String) -> [UInt8] {
    let head = "// Applied by Outrider at \(time), as \(target). This copy has no secrets and no comments.\n"
    let source = SourceText(name: name, bytes: text)
    guard let copy = try? EditableSettings(source).withoutSecrets else { return Array(head.utf8) }
    return Array(head.utf8) + copy
  }

  /// True for the text that a copy without secrets has in place of a secret, and for the address of a server in it.
  static func isPlaceholder(_ text: String) -> Bool {
    text == EditableSettings.placeholder
      || text.contains("://") && text.contains(EditableSettings.placeholder)
  }

  private static func parsed(_ source: SourceText) throws(BootFault) -> EditableSettings {
    do { return try EditableSettings(source) } catch { throw .invalid(error.errors.map(\.description)) }
  }

  /// True for `device_id` and `destinations[N].device_id`.
  private static func isDeviceName(_ path: String) -> Bool {
    path == "device_id" || path.hasPrefix("destinations[") && path.hasSuffix("].device_id")
  }
}
