import Quantities

/// The address and record format with which a destination was last served. It is stored so that the next start detects
/// changes.
public struct DestinationState: Codable, Equatable, Sendable {
  /// The address without secrets, or the directory, for display.
  public var place: String
  /// A digest of the complete address, which can contain secrets.
  public var address: String
  /// The format of its records; nil if the format may change at any time.
  public var form: RecordForm?
  /// Batches that may have been sent in another format before ``form`` applied; they keep their format.
  public var held: [RetainedForm]
  /// The first record that the server may get, because those before were discarded or went to another address; nil for the
  /// whole log.
  public var first: Int64?
  /// The last record that went to the address before, until the server of this address has answered.
  public var moved: Int64?

  /// A batch that keeps its format.
  public struct RetainedForm: Codable, Equatable, Sendable {
    /// The batch boundary: the last record of the batch.
    public var through: Int64
    public var form: RecordForm

    public init(through: Int64, form: RecordForm) {
      self.through = through
      self.form = form
    }
  }

  public init(_ destination: DestinationSettings, form: RecordForm?) {
    let isFile = destination.url == .unset
    place = isFile ? "directory \(destination.directory ?? "")" : "\(destination.url)"
    let whole = isFile ? place : destination.url.text
    address = String(FNVHash(whole).value, radix: 16)
    self.form = form
    held = []
  }

  public func isElsewhere(than other: DestinationState) -> Bool { address != other.address }

  /// The format of a batch that ends at this record; nil if it is the present one.
  public func retainedForm(through: Int64) -> RecordForm? { held.first { $0.through == through }?.form }
}

/// The settings that determine the bytes of a record, besides the record itself.
public struct RecordForm: Codable, Equatable, Sendable {
  /// The name of the server's profile.
  public var profile: String
  public var whole_speed: Bool
  public var unique_id: Bool
  /// The values of two keys of the oldest app, in metres and as a word; nil if they are not written.
  public var deferred_m: Int?
  public var significant_change: String?
  /// True if the two keys and the number of locations in a request are written with every profile; nil: false.
  public var historic_stats: Bool?
  /// True if reconstructed trips are sent; nil: false.
  public var reconstructed_trips: Bool?
  /// The name of the device in every record; nil for that of the record.
  public var device_id: String?

  public init(profile: String, wholeSpeed: Bool, uniqueID: Bool) {
    self.profile = profile
    whole_speed = wholeSpeed
    unique_id = uniqueID
  }
}
