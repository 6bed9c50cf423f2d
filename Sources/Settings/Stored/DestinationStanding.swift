import Quantities

/// What a destination was last served with, kept so that the next start sees what has changed since.
public struct DestinationStanding: Codable, Equatable, Sendable {
  /// Where to, as people may see it: an address without secrets, or a directory.
  public var place: String
  /// A digest of the whole address, which may hold secrets.
  public var address: String
  /// How its records are written; nil where no form is promised to stay.
  public var form: RecordForm?
  /// Batches that may have been sent in another form before ``form`` counted: they keep it.
  public var held: [Held]

  public struct Held: Codable, Equatable, Sendable {
    /// The last record of the batch.
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

  public func isElsewhere(than other: DestinationStanding) -> Bool { address != other.address }

  /// The form of a batch that ends at this record, where it is not the present one.
  public func heldForm(through: Int64) -> RecordForm? { held.first { $0.through == through }?.form }
}

/// The settings on which the bytes of a record depend, beside the record itself.
public struct RecordForm: Codable, Equatable, Sendable {
  /// Name of the server's profile.
  public var profile: String
  public var whole_speed: Bool
  public var unique_id: Bool
  /// Metres and word of the oldest app's two keys; nil where they are not written.
  public var deferred_m: Int?
  public var significant_change: String?
  /// The two keys are written, and the locations of a request counted, whatever the profile; nil: not.
  public var historic_stats: Bool?
  /// Trips that are known by their ends alone are sent; nil: not.
  public var reconstructed_trips: Bool?
  /// What the device is called in every record; nil: as the record has it.
  public var device_id: String?

  public init(profile: String, wholeSpeed: Bool, uniqueID: Bool) {
    self.profile = profile
    whole_speed = wholeSpeed
    unique_id = uniqueID
  }
}
