import Records
import Testing
import TextSnapshots

/// Tests the definition of every kind of event. Its sentence is tested by ``EventSentenceTests``.
@Suite struct EventDefinitionTests {
  @Test func theTreatmentOfEveryKindMatchesTheSnapshot() {
    let texts = TextSnapshot("event-kinds")
    for kind in EventKind.allCases {
      let text = Self.treatment(kind.definition)
      #expect(text == texts.expected(kind.rawValue, text))
    }
  }

  /// One line for each property that decides how an event is treated.
  private static func treatment(_ definition: EventDefinition) -> String {
    func answer(_ effect: EventEffects) -> String { definition.effects.contains(effect) ? "yes" : "no" }
    let gap =
      switch definition.gap {
      case .unrelated: "no"
      case .context: "yes, without a cause"
      case .cause(let clause): "yes, \"\(clause)\""
      case .causeAtStart(let clause): "if it prevented a start, \"\(clause)\""
      }
    let fault =
      switch definition.fault {
      case .begins(let fault)?: "begins (\(fault))"
      case .continues(let fault)?: "continues (\(fault))"
      case .ends(let fault)?: "ends (\(fault))"
      case nil: "no"
      }
    return """
      subject: \(definition.subject)
      group: \(definition.group.rawValue)
      fault: \(fault)
      level: \(definition.level)
      notified: \(answer(.notifies))
      asks for a position: \(answer(.asksForPosition))
      stored while tracking is off: \(answer(.isStoredWhileOff))
      explains a gap: \(gap)
      """
  }

  @Test(arguments: EventKind.allCases) func theDefinitionOfEveryKindIsComplete(kind: EventKind) {
    let definition = kind.definition
    #expect(!definition.subject.isEmpty)
    #expect(!definition.meaning.isEmpty && Set(definition.fields).count == definition.fields.count)
    if let value = definition.value { #expect(definition.fields.contains(value)) }
    for sentence in [definition.meaning, definition.advice].flatMap({ $0.split(separator: ". ") }) {
      #expect(sentence.split(separator: " ").count <= 25, "\(sentence)")
    }
  }

  @Test(arguments: EventFault.allCases) func everyFaultHasABeginningAndAnEnd(fault: EventFault) {
    let phases = EventKind.allCases.compactMap(\.definition.fault)
    #expect(phases.contains(.begins(fault)) && phases.contains(.ends(fault)))
  }

  @Test func everyGroupHasAKindExceptVisits() {
    let groups = Set(EventKind.allCases.map(\.definition.group))
    #expect(groups == Set(EventGroup.allCases).subtracting([.visits]))
  }

  /// A kind with the definition of another one would have its text, too.
  @Test func noTwoKindsHaveTheSameDefinition() {
    let meanings = EventKind.allCases.map(\.definition.meaning)
    #expect(Set(meanings).count == meanings.count)
  }

  @Test(arguments: EventField.allCases) func everyFieldBelongsToAKind(field: EventField) {
    #expect(EventKind.allCases.contains { $0.definition.fields.contains(field) })
  }
}
