import Settings
import Testing

/// Reads settings as the logger does, from text.
func configuration(
  board: String? = nil, file: String? = nil, set overrides: [String] = []
) throws(SettingsErrors) -> Configuration {
  try Configuration.read(
    board: board.map { SourceText(name: "board.json5", bytes: Array($0.utf8)) },
    file: file.map { SourceText(name: "config.json5", bytes: Array($0.utf8)) },
    overrides: overrides, fallbacks: Fallbacks(deviceID: "host", apiSocket: "/run/outrider/api.sock"))
}

/// The errors of settings; empty if they are valid.
func refusals(
  board: String? = nil, file: String? = nil, set overrides: [String] = []
) -> [String] {
  do throws(SettingsErrors) {
    _ = try configuration(board: board, file: file, set: overrides)
    return []
  } catch {
    return error.errors.map(\.description)
  }
}
