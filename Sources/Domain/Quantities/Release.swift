/// The version and release date of this program.
public enum Release {
  /// The version in SemVer form.
  public static let version = "0.2.0"

  /// The day of the release: a system clock that shows an earlier time is not set.
  public static let date = Timestamp(milliseconds: 1_795_219_200_000)  // 2026-11-21T00:00:00Z
}
