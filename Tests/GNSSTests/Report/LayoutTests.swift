import Testing
@testable import GNSSReport

@Suite struct LayoutTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let length: Int
    let fields: [BinaryField]
    var testDescription: String { name }
  }

  static let rows: [Row] = (BinaryLayout.ubx + BinaryLayout.casic).flatMap { layout in
    let row = Row(name: "\(layout.name) \(layout.length)", length: layout.length, fields: layout.fields)
    guard case .blocks(let key, let size, let members) = layout.tail else { return [row] }
    return [row, Row(name: "\(layout.name) \(key)", length: size, fields: members)]
  }

  @Test(arguments: rows)
  func fieldsDoNotOverlapAndAreInsideTheirMessage(_ row: Row) {
    var end = 0
    for field in row.fields {
      #expect(field.offset >= end, "\(field.name)")
      end = field.offset + field.size
      // Numbers are aligned in all of these messages.
      switch field.form {
      case .unsigned(let bytes), .signed(let bytes), .bits(let bytes):
        #expect(field.offset % bytes == 0, "\(field.name)")
      case .r4, .r8: #expect(field.offset % field.size == 0, "\(field.name)")
      case .ch, .raw: break
      }
    }
    #expect(end <= row.length)
    #expect(Set(row.fields.map { "\($0.name)" }).count == row.fields.count)
  }

  @Test func fieldNamesOfASentenceAreUnique() {
    for layout in SentenceLayout.known {
      let keys = ["class", "talker", "sentence", "fields", "rest"] + layout.elements.map { "\($0.key)" }
      #expect(Set(keys).count == keys.count, "\(layout.name)")
    }
  }

  @Test func aMessageHasOneRowPerLength() {
    for table in [BinaryLayout.ubx, BinaryLayout.casic] {
      let keys = table.map { "\($0.messageClass) \($0.id) \($0.length)" }
      #expect(Set(keys).count == keys.count)
    }
  }
}
