import Settings
import Testing

import Provisioning

/// The questions of `outrider setup`.
@Suite struct SetupDialogueTests {
  private static let boards = [
    SetupFacts.Board(
      name: "raspberry-pi-4", title: "Raspberry Pi 4, module on the header", port: "/dev/ttyAMA0"),
    SetupFacts.Board(name: "simulator", title: "Simulated hardware", port: nil),
    SetupFacts.Board(
      name: "raspberry-pi-zero-2w", title: "Raspberry Pi Zero 2 W, module on the header", port: "/dev/serial0"
    ),
    SetupFacts.Board(name: "usb-receiver", title: "GNSS receiver on USB", port: "/dev/ttyACM0"),
  ]
  private static let usb = "/dev/serial/by-id/usb-u-blox_7-if00"

  private static func facts(model: String? = nil, ports: [String] = [usb], hasGPSD: Bool = false)
    -> SetupFacts
  {
    SetupFacts(boards: boards, model: model, ports: ports, hasGPSD: hasGPSD)
  }

  /// A whole dialogue: the answers, with "!" before an invalid one, and the settings of the file.
  static let dialogues: [(answers: [String], expected: [String])] = [
    (
      ["", "", "", "https://a.b/c", "t0ken"],
      [
        #"board: "usb-receiver""#, #"port: "/dev/serial/by-id/usb-u-blox_7-if00""#,
        #"{ name: "overland", kind: "overland", url: "https://a.b/c", token: "t0ken" }"#,
      ]
    ),
    (
      ["raspberry-pi-4", " 1 ", "owntracks", "mqtts://broker:8883"],
      [#"board: "raspberry-pi-4""#, #"kind: "owntracks", url: "mqtts://broker:8883" }"#]
    ),
    (
      ["2", "2", "3", "!mqtt://broker", "https://t.example.org/?id=1", ""],
      [#"board: "raspberry-pi-4""#, "by-id", #"kind: "query", url: "https://t.example.org/?id=1" }"#]
    ),
    (
      [
        "!7", "!0", "!-1", "!nokia", "1", "!3", "!ttyUSB0", "/dev/ttyUSB0", "!http", "file", "!tracks",
        "/srv/t",
      ],
      [#"port: "/dev/ttyUSB0""#, #"{ name: "file", kind: "file", directory: "/srv/t" }"#]
    ),
    (["/etc/outrider/mine.json5", "", "none"], [#"board: "/etc/outrider/mine.json5""#]),
    (
      ["1", "", "overland", "!", "!https://", "!https://a b", "http://a.b", "!a\u{1}b", "to\"k\\en"],
      [#"token: "to\"k\\en""#]
    ),
  ]

  @Test(arguments: dialogues.indices) func aDialogueLeadsToAValidFile(_ index: Int) throws {
    let (answers, expected) = Self.dialogues[index]
    var dialogue = SetupDialogue(Self.facts())
    for answer in answers {
      let prompt = try #require(dialogue.prompt, "\(answer)")
      let isInvalid = answer.hasPrefix("!")
      let fault = dialogue.answer(isInvalid ? String(answer.dropFirst()) : answer)
      #expect((fault != nil) == isInvalid, "\(answer): \(fault ?? "accepted")")
      if isInvalid { #expect(dialogue.prompt == prompt, "the question stays") }
    }
    #expect(dialogue.prompt == nil && dialogue.missing.isEmpty)
    let text = dialogue.draft.text(comment: "test")
    for part in expected { #expect(text.contains(part), "\(text)") }
    _ = try Configuration.read(
      board: nil, file: SourceText(name: "new", bytes: Array(text.utf8)), overrides: [],
      fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
  }

  @Test func theDetectedBoardIsFirstAndTheSimulatorLast() {
    for (model, ports, names) in [
      (
        "Raspberry Pi Zero 2 W Rev 1.0", [],
        ["raspberry-pi-zero-2w", "raspberry-pi-4", "usb-receiver", "simulator"]
      ),
      (
        "Raspberry Pi 4 Model B Rev 1.4", [Self.usb],
        ["raspberry-pi-4", "usb-receiver", "raspberry-pi-zero-2w", "simulator"]
      ),
      (nil, [Self.usb], ["usb-receiver", "raspberry-pi-4", "raspberry-pi-zero-2w", "simulator"]),
      ("Orange Pi", [], ["raspberry-pi-4", "raspberry-pi-zero-2w", "usb-receiver", "simulator"]),
    ] as [(String?, [String], [String])] {
      let facts = Self.facts(model: model, ports: ports)
      #expect(facts.boards.map(\.name) == names)
      let isKnown = model?.hasPrefix("Raspberry") == true || !ports.isEmpty
      #expect(facts.isDetected == isKnown && (SetupDialogue(facts).prompt?.usual != nil) == isKnown)
    }
  }

  @Test func anOptionAnswersItsQuestion() {
    var dialogue = SetupDialogue(Self.facts(ports: []))
    #expect(dialogue.missing == [.board, .kind, .address])
    #expect(dialogue.answer("/dev/ttyUSB1", to: .receiver) == nil)
    #expect(dialogue.missing == [.kind, .address], "a port is enough without a board")
    #expect(dialogue.answer("mqtt://broker", to: .address) != nil, "the kind is Overland without --kind")
    #expect(dialogue.answer("https://a.b/c", to: .address) == nil && dialogue.missing.isEmpty)
    #expect(dialogue.answer("secret", to: .token) == nil)
    #expect(dialogue.draft.destination?.token == Secret("secret") && dialogue.prompt?.question == .board)

    var none = SetupDialogue(Self.facts())
    #expect(none.answer("simulator", to: .board) == nil && none.missing == [.receiver, .kind, .address])
    #expect(none.answer("none", to: .kind) == nil && none.missing == [.receiver])
    #expect(none.answer("x", to: .token)?.contains("leave it out") == true)
  }

  @Test func aTokenGivenBeforeTheAddressIsKept() {
    for (answers, token) in [
      (["https://a.b/c"], Secret("secret")), (["owntracks", "https://a.b/c"], Secret("secret")),
      (["file", "/srv/t"], nil), (["owntracks", "mqtt://broker"], nil),
    ] as [([String], Secret?)] {
      var dialogue = SetupDialogue(Self.facts())
      #expect(dialogue.answer("secret", to: .token) == nil)
      let questions: [SetupDialogue.Question] = answers.count == 1 ? [.address] : [.kind, .address]
      for (answer, question) in zip(answers, questions) {
        #expect(dialogue.answer(answer, to: question) == nil)
      }
      #expect(dialogue.draft.destination?.token == token && dialogue.draft.destination != nil, "\(answers)")
    }
  }

  @Test func theReceiverIsAPortThatExistsOrThatOfGPSD() {
    let serial0 = SetupFacts.headerPort
    let usb = Self.usb
    for (board, ports, hasGPSD, choices) in [
      ("raspberry-pi-zero-2w", [serial0, usb], false, [serial0, usb]),
      ("raspberry-pi-4", [serial0], true, ["/dev/ttyAMA0", serial0, "gpsd"]),
      ("usb-receiver", [serial0, usb], false, [usb, "/dev/ttyACM0", serial0]),
      ("usb-receiver", [serial0], true, ["/dev/ttyACM0", serial0, "gpsd"]),
    ] as [(String, [String], Bool, [String])] {
      var dialogue = SetupDialogue(Self.facts(ports: ports, hasGPSD: hasGPSD))
      #expect(dialogue.answer(board, to: .board) == nil)
      let lines = (dialogue.prompt?.lines ?? []).dropFirst().map { $0.drop { $0 == " " || $0.isNumber } }
      #expect(lines.map(String.init) == choices, "\(board)")
      guard hasGPSD else { continue }
      #expect(dialogue.answer("\(choices.count)") == nil && dialogue.draft.port == nil)
      let text = dialogue.draft.text(comment: "test")
      #expect(text.contains(#"receiver: { gpsd: "localhost" }"#), "\(text)")
    }
    var script = SetupDialogue(Self.facts())
    #expect(script.answer("gpsd", to: .receiver) == nil && script.missing == [.kind, .address])
  }

  @Test func onlyTheTokenIsHidden() {
    var dialogue = SetupDialogue(Self.facts())
    var hidden: [SetupDialogue.Question] = []
    for answer in ["1", "", "overland", "https://a.b", ""] {
      if let prompt = dialogue.prompt, prompt.isHidden { hidden.append(prompt.question) }
      _ = dialogue.answer(answer)
    }
    #expect(hidden == [.token])
  }
}
