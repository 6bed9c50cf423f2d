import Foundation

extension Scratch {
  /// `text` without the path of this directory, which differs in every run.
  func anonymous(_ text: String) -> String {
    text.replacingOccurrences(of: url.path, with: "SCRATCH")
  }
}

extension String {
  /// The first line that contains all of `parts`; nil if there is none.
  func line(with parts: [String]) -> String? {
    split(separator: "\n").first { line in parts.allSatisfy { line.contains($0) } }.map(String.init)
  }

  func line(with parts: String...) -> String? { line(with: parts) }
}

extension LoggerBench {
  /// `text` without the paths of scratch directory and serial port, which differ in every run.
  func anonymous(_ text: String) -> String {
    scratch.anonymous(text).replacingOccurrences(of: feeder.path, with: "PORT")
  }

  /// The errors after the first `count` lines of standard error that report a number of lost records.
  func lostRecords(after count: Int) -> [Substring] {
    standardError.split(separator: "\n").dropFirst(count).filter {
      $0.hasPrefix("error: ") && $0.contains(/[0-9] records/)
    }
  }

  /// The first line of standard error that contains all of `parts`, made anonymous; nil if there is none within `limit`.
  func line(with parts: String..., within limit: Duration = .seconds(20)) -> String? {
    var line: String?
    _ = eventually(within: limit) {
      line = standardError.line(with: parts)
      return line != nil
    }
    return line.map(anonymous)
  }
}
