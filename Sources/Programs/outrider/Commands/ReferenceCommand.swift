/// `outrider reference`: prints a generated page of the documentation.
enum ReferenceCommand: Command {
  static let name = "reference"
  static let group = CommandGroup.configure
  static let summary = "print a reference page as Markdown"
  static let description = CommandDescription(
    forms: ["PAGE"],
    text: [
      """
      Prints a page of the documentation that is generated from the program: settings, commands, events, \
      boards, doctor or metrics.
      """
    ],
    exitStatus: "0 printed, 1 a board file has faults, 2 no such page",
    operands: .words(ReferencePage.allCases.map(\.rawValue)))

  static func run(_ words: ArraySlice<String>) throws -> Int32 {
    let arguments = try Arguments(words, description)
    try arguments.checkOperands(atMost: 1)
    let names = ReferencePage.allCases.map(\.rawValue)
    guard let name = arguments.operands.first, let page = ReferencePage(rawValue: name) else {
      throw Arguments.Misuse(
        message: arguments.operands.first.map {
          "no page \"\($0)\"; available: \(names.joined(separator: ", "))"
        }
          ?? "missing page; available: \(names.joined(separator: ", "))")
    }
    Console.print(try page.markdown().trimmedLineBreak)
    return 0
  }
}

extension String {
  /// The text without the line break that ``Console`` adds.
  fileprivate var trimmedLineBreak: String { hasSuffix("\n") ? String(dropLast()) : self }
}
