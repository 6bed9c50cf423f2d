/// Collects the errors in one source of settings, in the order of its text.
struct Findings {
  /// The largest number of errors.
  static let most = 50

  /// The name of the source for messages.
  let file: String
  let origin: Origin
  /// The chips that can be configured.
  let chips: ChipNames
  private let text: ParsedText?
  /// The members of lists that were given a value, as in `zones[0].radius`.
  private(set) var members: Set<String> = []
  private var found: [(offset: Int, error: SettingsError)] = []

  init(file: String, origin: Origin, text: ParsedText?, chips: ChipNames = ChipNames()) {
    self.file = file
    self.origin = origin
    self.text = text
    self.chips = chips
    guard let text else { return }
    for duplicate in text.duplicates.prefix(Self.most) {
      let first = text.source.position(of: duplicate.first)
      add(.key, duplicate.path, offset: duplicate.second) { .duplicateKey($0, firstLine: first.line) }
    }
  }

  /// The part of a member at which an error is reported.
  enum Part { case key, value }

  var errors: [SettingsError] { found.sorted { $0.offset < $1.offset }.map(\.error) }

  var count: Int { found.count }

  /// True until ``most`` errors are found; further ones are discarded.
  var hasRoom: Bool { found.count < Self.most }

  mutating func recordGiven(_ path: String) {
    if path.contains("[") { members.insert(path) }
  }

  mutating func add(
    _ part: Part, _ path: String, offset known: Int? = nil, _ error: (SettingLocation) -> SettingsError
  ) {
    guard hasRoom else { return }
    let mark = text?.marks[path]
    let offset = known ?? (part == .key ? mark?.key ?? mark?.value : mark?.value)
    let location = text?.source.location(of: offset, path: path) ?? SettingLocation(file: file, path: path)
    found.append((offset ?? 0, error(location)))
  }
}
