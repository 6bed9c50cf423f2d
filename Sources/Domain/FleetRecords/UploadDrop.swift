/// The reason why an element of a body is confirmed and not stored: a repetition would never be stored.
public enum UploadDrop: Sendable, CaseIterable {
  /// Its time is missing, no time, or outside the years 1980 to 2100.
  case noTime
  /// A location without a point of the earth.
  case noPosition
  /// It is no object.
  case notAFeature
  /// It does not fit into the tables: a repeated key, too many, too long or too deep members.
  case invalid
}
