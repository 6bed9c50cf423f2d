extension Configuration {
  /// The socket of the local API from a configuration file that may be invalid otherwise; nil if it does not give it.
  ///
  /// - Throws: the errors in the file's syntax or in this value.
  public static func apiSocket(in file: SourceText) throws(SettingsErrors) -> String? {
    let text: ParsedText
    do { text = try ParsedText(file) } catch { throw SettingsErrors([error.explained]) }
    guard case .group(let members) = text.value else {
      throw SettingsErrors([.syntax(file.location(of: text.marks[""]?.value, path: ""), .notAGroup)])
    }
    let path = Schema.apiSocket.path
    let parts = path.split(separator: ".").map(String.init)
    guard case .group(let group)? = members[parts[0]], let value = group[parts[1]] else { return nil }
    var chosen = Configuration(fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    var findings = Findings(file: file.name, origin: .file, text: text)
    _ = Schema.apiSocket.accept(value, at: path, into: &chosen, &findings)
    guard findings.errors.isEmpty else { throw SettingsErrors(findings.errors) }
    return chosen.api.socket
  }
}
