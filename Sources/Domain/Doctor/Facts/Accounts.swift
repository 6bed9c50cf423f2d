/// A user with the groups that count for permissions.
public struct Identity: Equatable, Sendable {
  public var name: String
  public var user: UInt32
  public var groups: Set<UInt32>

  public init(name: String, user: UInt32, groups: Set<UInt32>) {
    (self.name, self.user, self.groups) = (name, user, groups)
  }

  public var isRoot: Bool { user == 0 }
}

/// Owner and permissions of a file, as stat(2) reports them.
public struct FileNode: Equatable, Sendable {
  /// The permission bits.
  public var mode: UInt32
  public var user: UInt32
  public var group: UInt32
  /// Time of the last change in seconds since 1970.
  public var modified: Int64

  public init(mode: UInt32, user: UInt32, group: UInt32, modified: Int64 = 0) {
    (self.mode, self.user, self.group, self.modified) = (mode, user, group, modified)
  }

  /// True if the user has all of `bits` (4 read, 2 write), by the rules of path_resolution(7).
  public func permits(_ bits: UInt32, to identity: Identity) -> Bool {
    if identity.isRoot { return true }
    let shift: UInt32 = identity.user == user ? 6 : identity.groups.contains(group) ? 3 : 0
    return mode >> shift & bits == bits
  }
}

/// The users and groups of the system (passwd(5), group(5)).
public struct Accounts: Equatable, Sendable {
  private struct User: Equatable {
    var user: UInt32
    var group: UInt32
  }

  private struct Group: Equatable {
    var group: UInt32
    var members: [String]
  }

  private var users: [String: User] = [:]
  private var groups: [String: Group] = [:]

  /// Reads the two files. Lines that are not in their format are ignored.
  public init(passwd: String = "", group: String = "") {
    for line in passwd.split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count >= 4, let user = UInt32(fields[2]), let group = UInt32(fields[3]) else { continue }
      users[String(fields[0])] = User(user: user, group: group)
    }
    for line in group.split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count >= 4, let number = UInt32(fields[2]) else { continue }
      groups[String(fields[0])] = Group(
        group: number, members: fields[3].split(separator: ",").map(String.init))
    }
  }

  public var isEmpty: Bool { users.isEmpty || groups.isEmpty }

  /// Returns the number of a group; nil if there is none.
  public func group(_ name: String) -> UInt32? { groups[name]?.group }

  /// Returns the name of a group, or its number as text.
  public func groupName(_ number: UInt32) -> String {
    groups.filter { $0.value.group == number }.keys.min() ?? "\(number)"
  }

  /// Returns the name of a user, or its number as text.
  public func userName(_ number: UInt32) -> String {
    users.filter { $0.value.user == number }.keys.min() ?? "\(number)"
  }

  /// Returns a user, given by name or number, with all groups that a new process of it gets; nil if there is none.
  public func identity(of name: String, supplementary: [String] = []) -> Identity? {
    let known = users[name] ?? UInt32(name).flatMap { number in users.values.first { $0.user == number } }
    guard let known else { return nil }
    let named = groups.values.filter { $0.members.contains(name) }.map(\.group)
    let added = supplementary.compactMap { groups[$0]?.group ?? UInt32($0) }
    return Identity(name: name, user: known.user, groups: Set([known.group] + named + added))
  }
}
