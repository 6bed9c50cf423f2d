import JSON

/// A command of an OwnTracks server to the device (owntracks.org/booklet/tech/json, `_type=cmd`).
public enum ServerCommand: Equatable, Sendable {
  /// The server requests the present position.
  case reportLocation
  /// Another action; at most 120 printable characters.
  case other(String)
  /// The text is no command; with the reason.
  case unreadable(String)

  /// The largest text in bytes. A list may also have the positions and the pictures of other devices.
  static let largest = 64 << 10
  /// The most commands of one text; further ones are ignored.
  static let most = 10

  private struct Message: Decodable {
    private(set) var type: String?
    private(set) var action: String?

    private enum Key: String, CodingKey {
      case type = "_type"
      case action
    }

    init(from decoder: any Decoder) throws {
      guard let members = try? decoder.container(keyedBy: Key.self) else { return }
      type = try? members.decode(String.self, forKey: .type)
      action = try? members.decode(String.self, forKey: .action)
    }
  }

  /// Reads the commands of a message, or of a list of messages. Messages of other types are no commands.
  public static func read(_ bytes: [UInt8]) -> [ServerCommand] {
    guard bytes.firstRange(of: Array(#""cmd""#.utf8)) != nil else { return [] }
    guard bytes.count <= largest else { return [.unreadable("more than \(largest) bytes")] }
    let text: CheckedJSON
    do throws(JSONFault) {
      text = try CheckedJSON(bytes, limits: CheckedJSON.Limits(depth: 16, values: 10_000))
    } catch {
      return [.unreadable(error.description)]
    }
    let messages = (try? text.decode([Message].self)) ?? (try? text.decode(Message.self)).map { [$0] } ?? []
    return messages.filter { $0.type == "cmd" }.prefix(most).map { message in
      switch message.action {
      case "reportLocation": .reportLocation
      case let action?: .other(ResponseEvaluator.printable(action))
      case nil: .unreadable("no action")
      }
    }
  }
}
