import Foundation

/// README.md and the pages of `docs/`, with their code blocks.
enum Documentation {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static var pages: [URL] {
    get throws {
      let docs = root.appendingPathComponent("docs")
      let names = try FileManager.default.contentsOfDirectory(atPath: docs.path).filter {
        $0.hasSuffix(".md")
      }
      return [root.appendingPathComponent("README.md")]
        + names.sorted().map { docs.appendingPathComponent($0) }
    }
  }

  /// A fenced code block.
  struct Block {
    /// Page and line number, for messages.
    var place: String
    /// The info string after the fence, such as `sh run`.
    var language: String
    var text: String
  }

  static func blocks(_ language: String) throws -> [Block] {
    try pages.flatMap { page in
      blocks(in: try String(contentsOf: page, encoding: .utf8), of: page.lastPathComponent)
    }
    .filter { $0.language == language }
  }

  private static func blocks(in text: String, of page: String) -> [Block] {
    var blocks: [Block] = []
    var open: Block?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if let block = open {
        if line.hasPrefix("```") {
          blocks.append(block)
          open = nil
        } else {
          open?.text += line + "\n"
        }
      } else if line.hasPrefix("```") {
        open = Block(place: "\(page):\(index + 1)", language: String(line.dropFirst(3)), text: "")
      }
    }
    return blocks
  }
}
