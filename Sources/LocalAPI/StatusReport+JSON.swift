import Formats
import FoundationEssentials

extension StatusReport {
  /// The report as one JSON object with sorted keys; nil only if a number in it is none.
  public var json: [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map(Array.init)
  }

  /// Reads what ``json`` wrote; nil for anything else.
  public init?(json: [UInt8]) {
    guard JSONStrings.areSound(json),
      let report = try? JSONDecoder().decode(StatusReport.self, from: Data(json))
    else { return nil }
    self = report
  }
}
