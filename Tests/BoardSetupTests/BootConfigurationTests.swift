import BoardSetup
import Quantities
import Testing

@Suite struct BootConfigurationTests {
  static let lines = ["enable_uart=1", "dtparam=i2c_arm=on", "dtoverlay=disable-bt"]

  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Applies lines and removes the block. Returns the file with the block.
  @discardableResult static func check(_ bytes: [UInt8], _ comment: Comment) throws -> [UInt8] {
    let applied = try BootConfiguration(bytes).applying(lines, board: "x")
    let again = try BootConfiguration(applied).applying(lines, board: "x")
    #expect(again == applied, "not idempotent: \(comment)")
    #expect(try BootConfiguration(applied).removingBlock() == bytes, "not undone: \(comment)")
    #expect(applied.starts(with: bytes), "changed outside of the block: \(comment)")
    let added = text(Array(applied.dropFirst(bytes.count)))
    #expect(added.split(whereSeparator: \.isNewline).allSatisfy { $0.utf8.count <= 98 }, comment)
    let result = try BootConfiguration(applied)
    #expect(lines.allSatisfy(result.isInEffect), "not in effect: \(comment)")
    return applied
  }

  @Test(arguments: Corpus.configurations) func theBlockIsAddedOnceAndRemoved(sample: Corpus.Sample) throws {
    try Self.check(sample.bytes, "\(sample.name)")
  }

  @Test func theBlockAppliesToEveryModel() throws {
    let applied = try BootConfiguration(Array(Corpus.debian13.dropLast(21).utf8)).applying(
      Self.lines, board: "field-unit")
    #expect(
      Self.text(applied).hasSuffix(
        """
        [all]
        # outrider: begin (field-unit)
        # outrider: the line before this block had no line end
        enable_uart=1
        dtoverlay=disable-bt
        # outrider: end

        """))
  }

  @Test func theLineEndOfTheFileIsUsed() throws {
    let applied = try BootConfiguration(Array("a=1\r\n".utf8)).applying(["enable_uart=1"], board: "x")
    #expect(
      Self.text(applied)
        == "a=1\r\n[all]\r\n# outrider: begin (x)\r\nenable_uart=1\r\n# outrider: end\r\n")
  }

  static let effects: [(text: String, line: String, isInEffect: Bool)] = [
    ("enable_uart=1\n", "enable_uart=1", true), ("enable_uart=1 \r\n", "enable_uart=1", true),
    ("#enable_uart=1\n", "enable_uart=1", false), ("enable_uart=10\n", "enable_uart=1", false),
    ("[pi4]\nenable_uart=1\n", "enable_uart=1", false),
    ("[pi4]\n[all]\nenable_uart=1\n", "enable_uart=1", true),
    ("[all]\n[gpio4=1]\nenable_uart=1\n", "enable_uart=1", false),
    ("enable_uart=1\n[pi4]\nenable_uart=0\n", "enable_uart=1", false),
    ("enable_uart=0\nenable_uart=1\n", "enable_uart=1", true),
    ("dtparam=i2c_arm=on,spi=on\n", "dtparam=i2c_arm=on", true),
    ("dtparam=i2c_arm\n", "dtparam=i2c_arm=on", true),
    ("dtparam=i2c_arm=on\ndtparam=i2c_arm=off\n", "dtparam=i2c_arm=on", false),
    ("dtparam=i2c_arm=on\ndtparam=spi=on\n", "dtparam=i2c_arm=on", true),
    ("dtoverlay=disable-bt\ndtoverlay=vc4-kms-v3d\n", "dtoverlay=disable-bt", true),
    ("dtoverlay=disable-bt,x\n", "dtoverlay=disable-bt", false),
  ]

  @Test(arguments: effects) func aLineThatTakesEffectIsNotRepeated(
    text: String, line: String, isInEffect: Bool
  ) throws {
    let bytes = Array(text.utf8)
    let file = try BootConfiguration(bytes)
    #expect(file.isInEffect(line) == isInEffect)
    #expect((try file.applying([line], board: "x") == bytes) == isInEffect)
  }

  @Test(arguments: Corpus.withBlocks) func aBlockOfAnotherBoardIsReplaced(sample: Corpus.Sample) throws {
    let file = try BootConfiguration(sample.bytes)
    #expect(file.board != nil)
    let applied = try file.applying(["gpu_mem=32", "dtoverlay=miniuart-bt"], board: "other")
    let text = Self.text(applied)
    #expect(text.components("# outrider: begin") == 1 && text.contains("begin (other)"))
    #expect(!text.contains("dtoverlay=disable-bt") && !text.contains("dtparam=i2c_arm=on"))
    #expect(
      try BootConfiguration(applied).applying(["gpu_mem=32", "dtoverlay=miniuart-bt"], board: "other")
        == applied)
    // Other lines stay.
    for line in ["arm_64bit=1", "gpu_mem=16", "dtoverlay=gpio-fan", "arm_freq=1500"] {
      #expect(text.components(line) == Self.text(sample.bytes).components(line), "\(line)")
    }
  }

  @Test func linesAfterTheBlockStayInForceForEveryModel() throws {
    let bytes = Array(Corpus.blockWithLinesAfter.utf8)
    let rest = try BootConfiguration(bytes).removingBlock()
    #expect(
      Self.text(rest) == "[pi4]\narm_freq=1500\n[all]\ndtoverlay=gpio-fan\n[pi5]\ndtparam=pciex1\n")
    #expect(try BootConfiguration(rest).isInEffect("dtoverlay=gpio-fan"))
  }

  @Test func aLineAfterTheBlockThatOverridesItIsFound() throws {
    let applied = try BootConfiguration(Array("a=1\n".utf8)).applying(["enable_uart=1"], board: "x")
    let edited = try BootConfiguration(applied + Array("enable_uart=0\n".utf8))
    #expect(!edited.isInEffect("enable_uart=1"))
  }

  @Test func aBoardWithoutLinesRemovesTheBlock() throws {
    let applied = try BootConfiguration(Array(Corpus.hat.utf8)).applying(Self.lines, board: "x")
    #expect(try BootConfiguration(applied).applying([], board: "y") == Array(Corpus.hat.utf8))
  }

  static let damaged: [(text: String, error: BootConfigurationError)] = [
    ("a=1\n# outrider: begin (x)\nb=1\n", .unpaired(line: 2, text: "# outrider: begin (x)")),
    ("# outrider: end\n", .unpaired(line: 1, text: "# outrider: end")),
    (
      "# outrider: begin (x)\n# outrider: begin (y)\n# outrider: end\n",
      .unpaired(line: 1, text: "# outrider: begin (x)")
    ),
    ("a=1\n\0\0\0", .damaged(line: 2)),
  ]

  @Test(arguments: damaged) func aDamagedFileIsRejected(text: String, error: BootConfigurationError) {
    #expect(throws: error) { try BootConfiguration(Array(text.utf8)) }
  }

  @Test func aLineThatTheFirmwareWouldCutIsRejected() throws {
    let file = try BootConfiguration([])
    let fitting = "dtparam=" + String(repeating: "x", count: 90)
    #expect(throws: Never.self) { try file.applying([fitting], board: "x") }
    #expect(throws: BootConfigurationError.tooLong(text: fitting + "x", limit: 98)) {
      try file.applying([fitting + "x"], board: "x")
    }
  }

  /// Files with random lines, line ends and sections.
  @Test func anyFileIsRestored() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    let pieces = [
      "enable_uart=1", "enable_uart=0", "dtparam=i2c_arm=on", "dtoverlay=disable-bt", "[all]", "[pi4]",
      "[cm4]",
      "#x", "", " ", "gpu_mem=16", "\r", "# outrider: nothing", "dtparam=spi=on,i2c_arm=off",
    ]
    for number in 0..<2000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        text += pieces.randomElement(using: &random) ?? ""
        text += ["\n", "\n", "\r\n", ""].randomElement(using: &random) ?? ""
      }
      try Self.check(Array(text.utf8), "seed \(seed), number \(number): \(text.debugDescription)")
    }
  }

  /// A file with a block, to which somebody has added lines at random places outside of the block.
  @Test func editsOutsideOfTheBlockSurvive() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    for sample in Corpus.configurations {
      for number in 0..<40 {
        let applied = try BootConfiguration(sample.bytes).applying(["gpu_mem=77"], board: "x")
        var lines = Self.text(applied).split(
          omittingEmptySubsequences: false, whereSeparator: \.isNewline
        ).map(String.init)
        let begin = try #require(lines.firstIndex { $0.hasPrefix("# outrider: begin") })
        let end = try #require(lines.firstIndex { $0.hasPrefix("# outrider: end") })
        let places = Array(0..<begin) + Array((end + 1)..<max(lines.count, end + 2))
        let index = places.randomElement(using: &random) ?? 0
        lines.insert("hdmi_blanking=\(number)", at: min(index, lines.count))
        let edited = try BootConfiguration(Array(lines.joined(separator: "\n").utf8))
        let comment: Comment = "seed \(seed), \(sample.name), line \(index)"
        let again = try edited.applying(["gpu_mem=78"], board: "y")
        #expect(try BootConfiguration(again).removingBlock() == edited.removingBlock(), comment)
        let rest = Self.text(edited.removingBlock())
        #expect(rest.contains("hdmi_blanking=\(number)") && !rest.contains("outrider"), comment)
      }
    }
  }
}

extension String {
  /// Number of occurrences.
  func components(_ text: String) -> Int { ranges(of: text).count }
}
