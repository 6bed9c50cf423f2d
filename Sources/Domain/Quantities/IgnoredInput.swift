/// The reason why input of a receiver or of gpsd contributes nothing to an epoch.
public enum IgnoredInput: UInt8, CaseIterable, Sendable {
  /// A sentence whose talker is that of other equipment, such as `$VWRMC`.
  case otherEquipment
  /// A sentence with lower-case letters in its address, such as `$gprmc`.
  case lowerCase
  /// A sentence whose address is not of two letters for the talker and three for the type.
  case address
  /// A standard sentence of a type that is not used, such as `$GPTXT`.
  case sentenceType
  /// A manufacturer's sentence that is not used, such as `$PUBX,04`.
  case vendorSentence
  /// A UBX message that is not used.
  case messageUBX
  /// A CASIC message that is not used.
  case messageCASIC
  /// A SiRF binary message.
  case messageSiRF
  /// A sentence without a checksum. It is not a valid frame.
  case noChecksum
  /// A line of gpsd that exceeds the buffer.
  case longLine
  /// A line of gpsd with a second attribute `class`, which libgps may read for ever.
  case secondClass
  /// A line of gpsd of a class that is not used.
  case otherClass
  /// A line of gpsd that does not begin with its class.
  case noClass

  /// The key in the status.
  public var key: String {
    switch self {
    case .otherEquipment: "other_equipment"
    case .lowerCase: "lower_case"
    case .address: "address"
    case .sentenceType: "sentence_type"
    case .vendorSentence: "vendor_sentence"
    case .messageUBX: "ubx_message"
    case .messageCASIC: "casic_message"
    case .messageSiRF: "sirf_message"
    case .noChecksum: "no_checksum"
    case .longLine: "long_line"
    case .secondClass: "second_class"
    case .otherClass: "other_class"
    case .noClass: "no_class"
    }
  }

  /// True for a line of gpsd that may have been one of the receiver.
  fileprivate var isDroppedLine: Bool {
    switch self {
    case .longLine, .secondClass, .noClass: true
    case .otherEquipment, .lowerCase, .address, .sentenceType, .vendorSentence, .messageUBX, .messageCASIC,
      .messageSiRF, .noChecksum, .otherClass:
      false
    }
  }

  fileprivate var words: (noun: String, rest: String) {
    switch self {
    case .otherEquipment: ("sentence", "of other equipment")
    case .lowerCase: ("sentence", "with a lower-case address")
    case .address: ("sentence", "with an invalid address")
    case .sentenceType: ("sentence", "of an unused type")
    case .vendorSentence: ("manufacturer's sentence", "of an unused type")
    case .messageUBX: ("UBX message", "of an unused type")
    case .messageCASIC: ("CASIC message", "of an unused type")
    case .messageSiRF: ("SiRF binary message", "(not supported)")
    case .noChecksum: ("sentence", "without a checksum")
    case .longLine: ("line", "too long")
    case .secondClass: ("line", "with a second class")
    case .otherClass: ("line", "of an unused class")
    case .noClass: ("line", "without a class at its start")
    }
  }
}

/// The number of ignored inputs by reason, with the address of the last one where it has one.
public struct IgnoredInputs: Equatable, Sendable {
  private var counts: [IgnoredInput: Int] = [:]
  private var addresses: [IgnoredInput: String] = [:]

  public init() {}

  /// Reads the keys of a status; unknown ones, of another version, are left out.
  public init(counts: [String: Int], last: [String: String]) {
    for reason in IgnoredInput.allCases {
      self.counts[reason] = counts[reason.key].flatMap { $0 > 0 ? $0 : nil }
      addresses[reason] = last[reason.key]
    }
  }

  /// Adds inputs of one reason.
  public mutating func add(_ count: Int = 1, _ reason: IgnoredInput, last address: String? = nil) {
    guard count > 0 else { return }
    let (sum, isOverflow) = counts[reason, default: 0].addingReportingOverflow(count)
    counts[reason] = isOverflow ? .max : sum
    if let address { addresses[reason] = address }
  }

  public var isEmpty: Bool { counts.isEmpty }

  /// The counts by key, for a status; nil if nothing was ignored.
  public var countsByKey: [String: Int]? {
    counts.isEmpty
      ? nil : Dictionary(counts.map { ($0.key.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// The address of the last input by key, for a status; nil without one.
  public var lastByKey: [String: String]? {
    addresses.isEmpty
      ? nil : Dictionary(addresses.map { ($0.key.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// The lines of gpsd that may have been of the receiver: too long, or not as libgps reads them safely.
  public var droppedLines: IgnoredInputs {
    var dropped = IgnoredInputs()
    dropped.counts = counts.filter { $0.key.isDroppedLine }
    return dropped
  }

  /// `100 sentences of other equipment (last VWRMC), 1 line too long`, the most frequent first.
  public var words: String {
    let reasons = IgnoredInput.allCases.filter { counts[$0] != nil }
      .sorted { (counts[$0] ?? 0, $1.rawValue) > (counts[$1] ?? 0, $0.rawValue) }
    return reasons.map { reason in
      let count = counts[reason] ?? 0
      let last = addresses[reason].map { " (last \($0))" } ?? ""
      return "\(count) \(reason.words.noun)\(count == 1 ? "" : "s") \(reason.words.rest)\(last)"
    }.joined(separator: ", ")
  }
}
