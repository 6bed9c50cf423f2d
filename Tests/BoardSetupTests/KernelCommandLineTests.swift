import BoardSetup
import Quantities
import Testing

@Suite struct KernelCommandLineTests {
  static func removed(_ text: String) -> String {
    String(decoding: KernelCommandLine(Array(text.utf8)).removingSerialConsoles(), as: UTF8.self)
  }

  static let cases: [(before: String, after: String)] = [
    ("console=serial0,115200 console=tty1 rootwait\n", "console=tty1 rootwait\n"),
    ("a console=ttyAMA0,9600 b", "a b"), ("a  console=ttyS0  b", "a  b"),
    ("a console=serial0,115200\n", "a\n"), ("a console=serial0 console=ttyS0\r\n", "a\r\n"),
    ("a console=serial0,1 console=tty1 console=ttyS0", "a console=tty1"), ("console=serial0", ""),
    ("console=ttyAMA10,115200 console=ttyS01", "console=ttyAMA10,115200 console=ttyS01"),
    ("x=\"a console=serial0,1 b\" console=serial0", "x=\"a console=serial0,1 b\""), ("", ""), ("\n", "\n"),
  ]

  @Test(arguments: cases) func onlySerialConsolesAreRemoved(before: String, after: String) {
    #expect(Self.removed(before) == after)
  }

  @Test(arguments: Corpus.commandLines) func theOtherParametersStayInOrder(sample: Corpus.Sample) {
    let line = KernelCommandLine(sample.bytes)
    let result = KernelCommandLine(line.removingSerialConsoles())
    #expect(result.serialConsoles.isEmpty)
    #expect(result.removingSerialConsoles() == result.bytes)
    #expect(result.hasOtherConsole == line.hasOtherConsole)
    if line.serialConsoles.isEmpty { #expect(result.bytes == line.bytes) }
  }

  @Test func anyCommandLineKeepsItsOtherWords() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    let words = [
      "console=serial0,115200", "console=ttyAMA0", "console=ttyS0,9600n8", "console=tty1", "quiet", "r=1",
    ]
    for _ in 0..<2000 {
      var text = ""
      var kept: [Substring] = []
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let word = words.randomElement(using: &random) ?? ""
        if !words.prefix(3).contains(word) { kept.append(word[...]) }
        text += word + ([" ", "  ", "\t", " \n"].randomElement(using: &random) ?? " ")
      }
      let result = Self.removed(text)
      #expect(
        result.split(whereSeparator: \.isWhitespace) == kept, "seed \(seed): \(text.debugDescription)")
      #expect(result.filter { $0 == "\n" }.count == text.filter { $0 == "\n" }.count, "seed \(seed)")
    }
  }

  @Test func otherConsolesAreFound() {
    #expect(KernelCommandLine(Array("console=serial0,1 console=tty1".utf8)).hasOtherConsole)
    #expect(!KernelCommandLine(Array("console=serial0,1 root=x".utf8)).hasOtherConsole)
  }
}
