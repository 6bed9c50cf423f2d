import Settings

/// The questions of `outrider setup` on a terminal: board, receiver, kind of server, address and token.
///
/// Every question can be answered in advance by an option; such a question is not asked. An invalid answer is explained,
/// and the question stays.
public struct SetupDialogue: Equatable, Sendable {
  /// A question, in the order of the cases.
  public enum Question: String, Equatable, Sendable, CaseIterable {
    case board, receiver, kind, address, token

    /// The option that answers the question.
    public var option: String {
      switch self {
      case .board: "--board"
      case .receiver: "--port"
      case .kind: "--kind"
      case .address: "--url"
      case .token: "--token"
      }
    }
  }

  /// A question with its choices, as text for a terminal.
  public struct Prompt: Equatable, Sendable {
    public var question: Question
    /// The lines above the input: the subject, then the numbered choices.
    public var lines: [String]
    /// The answer of an empty line; nil if there is none.
    public var usual: String?
    /// True for a secret, which is not echoed.
    public var isHidden: Bool { question == .token }
  }

  /// The kinds of destination with their descriptions. The last one stores records without sending them.
  private static let kinds: [(word: String, words: String)] = [
    ("overland", "Dawarich, GeoPulse, Reitti, outrider collect"),
    ("owntracks", "Home Assistant, OwnTracks Recorder, MQTT brokers"),
    ("query", "Traccar"), ("file", "GeoJSON and GPX files on this device"),
    ("none", "no server yet; records are stored only"),
  ]

  /// The answer that selects gpsd instead of a serial port.
  private static let gpsd = "gpsd"

  private let facts: SetupFacts
  private var open: [Question] = Question.allCases
  private var board: SetupFacts.Board?
  private var kind: DestinationKind?
  private var token: Secret?
  /// The answers so far.
  public private(set) var draft = ConfigurationDraft()

  public init(_ facts: SetupFacts) { self.facts = facts }

  /// The next question; nil if all are answered.
  public var prompt: Prompt? { open.first.map(prompt) }

  /// The questions without an answer that cannot be left open.
  public var missing: [Question] {
    open.filter { question in
      switch question {
      case .board: draft.port == nil && !draft.usesGPSD
      case .receiver: board.map { $0.port == nil } ?? false
      case .kind, .address: true
      case .token: false
      }
    }
  }

  /// Takes the answer to the present question. Returns nil, or the reason why it is invalid.
  public mutating func answer(_ text: String) -> String? {
    guard let question = open.first else { return nil }
    return answer(text, to: question)
  }

  /// Takes the answer to an open question, as from an option. Returns nil, or the reason why it is invalid.
  public mutating func answer(_ text: String, to question: Question) -> String? {
    guard open.contains(question) else { return "has no effect with the other answers; leave it out" }
    let given = Self.trimmed(text)
    let word = given.isEmpty ? prompt(question).usual ?? "" : given
    let fault: String?
    switch question {
    case .board: fault = choose(board: word)
    case .receiver: fault = choose(port: word)
    case .kind: fault = choose(kind: word)
    case .address: fault = choose(address: word)
    case .token: fault = choose(token: given)
    }
    if fault == nil { open.removeAll { $0 == question } }
    return fault
  }

  // MARK: Answers

  private mutating func choose(board word: String) -> String? {
    let names = facts.boards.map(\.name)
    if let chosen = Self.index(word, names).map({ facts.boards[$0] }) {
      board = chosen
      draft.board = chosen.name
      return nil
    }
    guard case .file? = BoardChoice(word) else {
      return word.isEmpty
        ? "choose a board by its number or name"
        : "no board \"\(word)\"; available: \(names.joined(separator: ", ")), or the path of a board file"
    }
    // A board file of its own normally has a port; the check of the configuration reads it.
    board = SetupFacts.Board(name: word, title: word, port: "")
    draft.board = word
    return nil
  }

  private var ports: [String] {
    let own = (board?.port.map { [$0.isEmpty ? "the port of the board file" : $0] }) ?? []
    let detected = facts.ports.filter { !own.contains($0) }
    // The port in the file of a USB board changes with the order of the devices.
    let first = board?.name == SetupFacts.usbBoard ? facts.usbPorts.filter(detected.contains) : []
    return first + own + detected.filter { !first.contains($0) } + (facts.hasGPSD ? [Self.gpsd] : [])
  }

  private mutating func choose(port word: String) -> String? {
    let ports = ports
    let port = Self.index(word, ports).map { ports[$0] } ?? word
    draft.usesGPSD = port == Self.gpsd
    if draft.usesGPSD {
      draft.port = nil
      return nil
    }
    if let own = board?.port, port == own || own.isEmpty && port == ports.first {
      draft.port = nil
      return nil
    }
    guard port.hasPrefix("/"), port.utf8.count > 1, !port.contains(where: \.isNewline) else {
      return "expected a number of the list, a path as in /dev/ttyUSB0, or gpsd"
    }
    draft.port = port
    return nil
  }

  private mutating func choose(kind word: String) -> String? {
    let words = Self.kinds.map(\.word)
    guard let index = Self.index(word.lowercased(), words) else {
      return "no kind \"\(word)\"; available: \(words.joined(separator: ", "))"
    }
    kind = DestinationKind(rawValue: words[index])
    switch kind {
    case nil: open.removeAll { $0 == .address || $0 == .token }
    case .file: open.removeAll { $0 == .token }
    case .overland, .owntracks, .query: break
    }
    return nil
  }

  private mutating func choose(address word: String) -> String? {
    // The kind of server is Overland if only its address is given.
    let kind = kind ?? .overland
    var isBroker = false
    if kind == .file {
      guard word.hasPrefix("/"), word.utf8.count > 1 else {
        return "expected the absolute path of a directory, as in /var/lib/outrider/tracks"
      }
    } else {
      guard let endpoint = Endpoint(word) else {
        return "expected an address, as in https://example.org/api/v1/overland/batches"
      }
      guard !endpoint.isBroker || kind == .owntracks else {
        return "kind \(kind.rawValue) takes https://HOST/… or http://HOST/…, not the address of a broker"
      }
      isBroker = endpoint.isBroker
      if isBroker { open.removeAll { $0 == .token } }
    }
    if self.kind == nil { open.removeAll { $0 == .kind } }
    self.kind = kind
    draft.destination = ConfigurationDraft.Destination(name: kind.rawValue, kind: kind, address: word)
    // An option can give the token before the address is asked.
    if kind != .file, !isBroker { draft.destination?.token = token }
    return nil
  }

  private mutating func choose(token word: String) -> String? {
    // The last one stands for bytes that are not UTF-8.
    guard !word.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F || $0.value == 0xFFFD })
    else {
      return "the token contains a control character or bytes that are not UTF-8; paste it again"
    }
    token = word.isEmpty ? nil : Secret(word)
    draft.destination?.token = token
    return nil
  }

  // MARK: Questions

  private func prompt(_ question: Question) -> Prompt {
    switch question {
    case .board:
      Prompt(
        question: question,
        lines: ["Board: its number, its name, or the path of a board file"]
          + Self.numbered(
            facts.boards.enumerated().map { index, board in
              "\(board.name): \(board.title)" + (index == 0 && facts.isDetected ? " (detected)" : "")
            }),
        usual: facts.isDetected ? facts.boards.first?.name : nil)
    case .receiver:
      Prompt(
        question: question,
        lines: [
          "Receiver: the number or the path of its serial port"
            + (facts.hasGPSD ? "; gpsd to share the one that gpsd reads" : "")
        ] + Self.numbered(ports),
        usual: ports.first)
    case .kind:
      Prompt(
        question: question,
        lines: ["Kind of server"] + Self.numbered(Self.kinds.map { "\($0.word): \($0.words)" }),
        usual: "overland")
    case .address:
      Prompt(
        question: question,
        lines: [
          kind == .file
            ? "Directory for the files"
            : kind == .owntracks
              ? "Address: https://HOST/… or mqtts://HOST"
              : "Address, complete, as in https://example.org/path"
        ], usual: kind == .file ? "/var/lib/outrider/tracks" : nil)
    case .token:
      Prompt(question: question, lines: ["Token (not shown; empty for none)"], usual: nil)
    }
  }

  private static func numbered(_ choices: [String]) -> [String] {
    choices.enumerated().map { "  \($0.offset + 1)  \($0.element)" }
  }

  /// The index of a choice by its number or its text.
  private static func index(_ word: String, _ choices: [String]) -> Int? {
    if let number = Int(word), choices.indices.contains(number &- 1) { return number &- 1 }
    return choices.firstIndex(of: word)
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
