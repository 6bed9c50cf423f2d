import Quantities
import Settings
import Testing

import Provisioning

/// The set-up from the boot partition, on a disk in memory.
@Suite struct ProvisionerTests {
  static let boot = "/boot/firmware/outrider.json5"
  static let page = "/boot/firmware/outrider.error.txt"
  static let target = ConfigurationLocation.usual

  static let file = """
    // The van. Old token: former-secret
    {
      device_id: "van-${serial}", /* by its board */
      destinations: [
        { name: "home", kind: "overland", url: "https://example.org/api", token: "t0ken-one" },
      ],
    }

    """

  private static func system(_ text: String = file, at path: String = boot) -> TestSystem {
    TestSystem(disk: ModelDisk([path: Array(text.utf8)]))
  }

  // MARK: A valid file

  @Test func aFileIsAppliedOnceAndReplacedByACopyWithoutSecrets() throws {
    var system = Self.system()
    #expect(provision(&system) == .applied)
    let installed = try #require(system.disk.text(Self.target))
    #expect(
      installed == Self.file.replacing("${serial}", with: "10000000abcdef01"), "comments and layout stay")
    #expect(system.disk[Self.boot] == nil)
    let copy = try #require(system.disk.text("/boot/firmware/outrider.json5.applied"))
    #expect(copy.hasPrefix("// Applied by Outrider at 2026-11-03T10:00:00Z, as /etc/outrider/config.json5."))
    #expect(!copy.contains("t0ken-one") && !copy.contains("former-secret") && copy.contains("${serial}"))
    #expect(system.disk.steps.contains { if case .write(_, _, .configuration) = $0 { true } else { false } })

    let count = system.disk.steps.count
    #expect(provision(&system) == .nothingToDo)
    #expect(system.disk.steps.count == count, "an idle start writes nothing")
  }

  @Test func aCardThatReturnsIsAppliedAgainEvenWithTheSameFile() {
    var system = Self.system()
    _ = provision(&system)
    system.disk.put(Self.target, Array("{ device_id: \"edited\" }".utf8))
    system.disk.put(Self.boot, Array(Self.file.utf8))
    #expect(provision(&system) == .applied)
    #expect(system.disk.text(Self.target)?.contains("van-") == true)
  }

  @Test(arguments: ["/boot/outrider.json5", "/boot/firmware/OUTRIDER.JSON5"])
  func otherPlacesAndSpellingsAreFound(path: String) {
    var system = Self.system(at: path)
    #expect(provision(&system) == .applied && system.disk[path] == nil)
  }

  @Test func aByteOrderMarkIsAccepted() {
    var system = TestSystem(disk: ModelDisk([Self.boot: [0xEF, 0xBB, 0xBF] + Array(Self.file.utf8)]))
    #expect(provision(&system) == .applied)
    #expect(system.disk[Self.target]?.first == UInt8(ascii: "/"))
  }

  // MARK: Faults

  /// A file, and parts of the page that explains the fault.
  static let faults: [(name: String, content: [UInt8], parts: [String])] = [
    (
      "outrider.json5", Array("{ device_id: 7 }".utf8), ["outrider.json5:1:14: device_id", "expected a text"]
    ),
    (
      "outrider.json5", Array("{\n  devise_id: \"a\"\n}".utf8),
      [":2:3: devise_id", "did you mean device_id?"]
    ),
    ("outrider.json5", Array("{ device_id: \"van\" ".utf8), ["this { is never closed"]),
    ("outrider.json5", [], ["the file is empty", "eject the card"]),
    ("outrider.json5", Array(" \r\n".utf8), ["the file is empty"]),
    (
      "outrider.json5", [0xFF, 0xFE] + utf16("{ device_id: 'a' }"), ["UTF-16", "save it as UTF-8", "Notepad"]
    ),
    ("outrider.json5", [0xFE, 0xFF, 0, 0x7B, 0, 0x7D], ["UTF-16"]),
    ("outrider.json5", utf16("{ device_id: 'a' }"), ["UTF-16"]),
    ("outrider.json5", Array("{}".utf8) + [0, 1, 2, 3, 4, 5, 6], ["not a text", "byte 2"]),
    ("outrider.json5", Array("{ device_id: \"".utf8) + [0xE9] + Array("\" }".utf8), [":1:15", "not UTF-8"]),
    ("outrider.json5", [UInt8](repeating: 0x20, count: BootFile.largest + 1), ["more than 64 KiB"]),
    (
      "outrider.json5.txt", Array("{}".utf8),
      ["the name must be outrider.json5", "rename the file", "Windows"]
    ),
    ("Outrider.Json", Array("{}".utf8), ["the name must be outrider.json5"]),
    ("outrider.url.txt", Array("overland://setup".utf8), ["the name must be outrider.url"]),
    ("outrider.json5", Array("{ device_id: \"${seriel}\" }".utf8), ["${seriel}", "available: ${serial}"]),
    ("outrider.json5", Array("{ apply_board: true }".utf8), ["apply_board requires board"]),
    ("outrider.json5", Array("{ apply_board: 1 }".utf8), ["apply_board: expected true or false"]),
    (
      "outrider.json5",
      Array(#"{ destinations: [{ name: "a", kind: "overland", url: "https://a.b/c", token: "…" }] }"#.utf8),
      ["outrider.json5:1:78: destinations[0].token", "replaces a secret in a copy"]
    ),
    (
      "outrider.json5",
      Array(#"{ destinations: [{ name: "a", kind: "overland", url: "https://a.b/…", token: "t" }] }"#.utf8),
      ["destinations[0].url", "replaces a secret in a copy"]
    ),
    ("outrider.url", Array("# nothing\n".utf8), ["no address", "overland://setup?url="]),
    ("outrider.url", Array("http://example.org/c".utf8), ["begins with http;", "https address"]),
    ("outrider.url", Array("https://a.org/\nhttps://b.org/".utf8), ["2 lines", "expected one line"]),
    ("outrider.url", Array("overland://start?url=x".utf8), ["expected overland://setup"]),
    ("outrider.url", Array("overland://setup?url=%zz".utf8), ["url: invalid percent-encoding"]),
    ("outrider.url", Array("overland://setup?url=https://a.b/c&device_id=${mac1}".utf8), ["${mac1}"]),
    ("outrider.url", Array("example.org".utf8), ["expected overland://setup?… or https://HOST/…"]),
  ]

  private static func utf16(_ text: String) -> [UInt8] {
    text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
  }

  @Test(arguments: faults.indices) func aFaultIsExplainedOnTheBootPartition(_ index: Int) throws {
    let (name, content, parts) = Self.faults[index]
    var system = TestSystem(disk: ModelDisk(["/boot/firmware/\(name)": content]))
    system.disk.put(Self.target, Array("{}".utf8))
    #expect(provision(&system) == .failed)
    let page = try #require(system.disk.text(Self.page))
    for part in parts { #expect(page.contains(part), "\(page)") }
    #expect(page.contains("/boot/firmware/") && page.contains("keeps its previous configuration"))
    #expect(system.journal.lines.contains { page.contains($0) }, "\(system.journal.lines)")
    #expect(system.disk.text(Self.target) == "{}" && system.disk["/boot/firmware/\(name)"] == content)

    let count = system.disk.steps.count
    #expect(provision(&system) == .failed)
    #expect(system.disk.steps.count == count, "the same page is not written again")

    system.disk.delete("/boot/firmware/\(name)")
    system.disk.put(Self.boot, Array(Self.file.utf8))
    #expect(provision(&system) == .applied && system.disk[Self.page] == nil, "a success removes the page")
  }

  @Test func aSetupURLWithoutAServerIsApplied() {
    var system = Self.system()
    system.disk.delete(Self.boot)
    system.disk.put("/boot/firmware/outrider.url", Array("overland://setup?token=t0ken".utf8))
    #expect(provision(&system) == .applied)
    #expect(system.journal.lines.contains { $0.contains("contains no url, so no server is configured") })
  }

  @Test func twoFilesAreRejected() throws {
    var system = Self.system()
    system.disk.put("/boot/firmware/outrider.url", Array("overland://setup?url=https://a.b/c".utf8))
    #expect(provision(&system) == .failed)
    let page = try #require(system.disk.text(Self.page))
    #expect(page.contains("outrider.json5 and /boot/firmware/outrider.url: only one of them"))
  }

  @Test(arguments: [HostIdentity.Variable.serial, .mac, .hostname])
  func aMissingValueNamesTheVariableAndTheRemedy(variable: HostIdentity.Variable) throws {
    var system = Self.system(Self.file.replacing("serial", with: variable.rawValue))
    system.identity = HostIdentity([:])
    #expect(provision(&system) == .failed)
    let page = try #require(system.disk.text(Self.page))
    #expect(
      page.contains("outrider.json5:3:14: device_id: ${\(variable.rawValue)} has no value")
        && page.contains("write the name itself"), "\(page)")
    #expect(system.disk[Self.target] == nil)
  }

  // MARK: Read-only file systems

  @Test func aReadOnlyBootPartitionIsAppliedOnce() {
    var system = Self.system()
    system.disk.readOnly = ["/boot/firmware"]
    #expect(provision(&system) == .applied)
    #expect(
      system.journal.lines.contains { $0.contains("not removed, because the boot partition is read-only") })
    #expect(system.disk[Self.boot] != nil)
    system.disk.put(Self.target, Array("{ device_id: \"edited\" }".utf8))
    #expect(provision(&system) == .nothingToDo)
    #expect(system.disk.text(Self.target)?.contains("edited") == true)
    // A new file is applied, and a partition that can be written again is tidied up.
    system.disk.put(Self.boot, Array(Self.file.replacing("van", with: "bus").utf8))
    #expect(provision(&system) == .applied)
    system.disk.readOnly = []
    #expect(provision(&system) == .nothingToDo)
    #expect(system.disk[Self.boot] == nil && system.disk[Self.boot + ".applied"] != nil)
    #expect(system.disk.text(Self.boot + ".applied")?.contains("t0ken") == false)
    #expect(system.disk.text(Self.target)?.contains("bus-") == true)
  }

  @Test func aFullBootPartitionHasRoomForTheCopyOnceTheFileIsRemoved() {
    var system = Self.system()
    system.disk.full = ["/boot/firmware"]
    #expect(provision(&system) == .applied)
    #expect(system.disk[Self.boot] == nil)
    #expect(system.disk.text(Self.boot + ".applied")?.contains("device_id") == true)
    #expect(!system.journal.lines.contains { $0.contains("not written") })
  }

  @Test func aConfigurationThatCannotBeWrittenLeavesNoDraftWithItsToken() {
    var system = Self.system()
    system.disk.full = [Self.target.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }]
    #expect(provision(&system) == .failed)
    #expect(!system.disk.paths.contains { $0.hasSuffix(".new") }, "\(system.disk.paths)")
    #expect(system.disk[Self.boot] != nil)
  }

  @Test func noEmptyErrorPageIsLeftOnAFullBootPartition() {
    var system = Self.system("{ devise_id: 1 }")
    system.disk.full = ["/boot/firmware"]
    #expect(provision(&system) == .failed)
    #expect(system.disk[Self.page] == nil)
    #expect(system.journal.lines.contains { $0.contains("devise_id") })
    #expect(system.journal.lines.contains { $0.contains("outrider.error.txt: not written") })
  }

  @Test func aNewFileInUTF16IsNotMistakenForTheRemainsOfAnOldOne() {
    var system = Self.system()
    system.disk.readOnly = ["/boot/firmware"]
    #expect(provision(&system) == .applied)
    system.disk.readOnly = []
    let text = Self.utf16("{ device_id: \"new\" }")
    system.disk.put(Self.boot, text)
    #expect(provision(&system) == .failed && system.disk[Self.boot] == text)
  }

  /// Rows of /proc/self/mountinfo, and the path to which the configuration goes.
  static let roots: [(rows: String, target: String)] = [
    ("1 0 8:1 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw", ConfigurationLocation.usual),
    ("1 0 8:1 / / ro,noatime - ext4 /dev/mmcblk0p2 rw", ConfigurationLocation.usual),
    ("1 0 8:1 / / ro,noatime - ext4 /dev/mmcblk0p2 ro", ConfigurationLocation.lasting),
    ("1 0 0:20 / / rw - overlay overlayroot rw,lowerdir=/x", ConfigurationLocation.lasting),
    (
      "1 0 0:20 / / rw - overlay overlayroot rw\n2 1 8:2 / /etc/outrider rw - ext4 /dev/sda1 rw",
      ConfigurationLocation.usual
    ),
    ("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:3 / /etc rw - tmpfs tmpfs rw", ConfigurationLocation.lasting),
    (
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:3 / /etcetera rw - tmpfs tmpfs rw",
      ConfigurationLocation.usual
    ),
    ("damaged\n1 2 - \n", ConfigurationLocation.usual),
  ]

  @Test(arguments: roots.indices) func theConfigurationGoesWhereItLasts(_ index: Int) {
    var system = Self.system()
    let root = Self.roots[index]
    system.mounts = MountTable(mountinfo: Array((root.rows + "\n").utf8))
    let other =
      root.target == ConfigurationLocation.usual ? ConfigurationLocation.lasting : ConfigurationLocation.usual
    system.disk.put(other, Array("{ device_id: \"old\" }".utf8))
    #expect(provision(&system) == .applied)
    #expect(system.disk.text(root.target)?.contains("van-") == true)
    let location = ConfigurationLocation(system.mounts)
    #expect(
      location.search.first { system.disk[$0] != nil } == root.target, "the new file precedes the old one")
  }

  // MARK: Setup URL and download

  static let url = "/boot/firmware/outrider.url"
  static let setup =
    "overland://setup?url=https://me:pw@a.b/api?x&token=t0ken-two&device_id=${hostname}&unique_id=yes"

  @Test func aSetupURLWithoutConfigurationWritesAShortOne() throws {
    var system = Self.system(Self.setup + "\r\n", at: Self.url)
    system.hardware = SetupFacts(
      boards: [SetupFacts.Board(name: "usb-receiver", title: "USB", port: "/dev/ttyACM0")], model: nil,
      ports: ["/dev/serial/by-id/a"])
    #expect(provision(&system) == .applied)
    let text = try #require(system.disk.text(Self.target))
    let read = try Configuration.read(
      board: nil, file: SourceText(name: "", bytes: Array(text.utf8)), overrides: [],
      fallbacks: Fallbacks(deviceID: "", apiSocket: ""))
    #expect(read.deviceID == "kestrel" && read.destinations.first?.token?.revealed == "t0ken-two")
    #expect(read.board == .named("usb-receiver") && read.receiver.port == "/dev/serial/by-id/a")
    #expect(read.destinations.first?.url.text == "https://me:pw@a.b/api?x")
    #expect(system.setUps.map(\.isNew) == [true])
    let copy = try #require(system.disk.text(Self.url + ".applied"))
    #expect(copy.contains("\noverland://setup?url=https://a.b/…&token=…&device_id=") && !copy.contains("pw@"))
    #expect(system.disk[Self.url] == nil)
  }

  @Test func aSetupURLBesideAConfigurationBecomesSettings() {
    var system = Self.system("[InternetShortcut]\nURL=\(Self.setup)\n", at: Self.url)
    system.disk.put(Self.target, Array("{ board: \"x\" }".utf8))
    #expect(provision(&system) == .applied)
    #expect(system.disk.text(Self.target) == "{ board: \"x\" }")
    #expect(system.setUps.map(\.isNew) == [false] && system.setUps.first?.url.deviceID == "kestrel")
  }

  /// A response to the download, and the outcome: is the file kept, and is there a page?
  static let answers: [(answer: Download, outcome: Provisioner<TestSystem>.Outcome, hasPage: Bool)] = [
    (.content(Array(file.utf8)), .applied, false), (.unreachable(reason: "no network"), .postponed, false),
    (.rejected(status: 503), .postponed, false), (.rejected(status: 429), .postponed, false),
    (.rejected(status: 404), .failed, true), (.rejected(status: 302), .failed, true),
    (.tooLarge, .failed, true), (.content(Array("<html>".utf8)), .failed, true),
    (.content([]), .failed, true),
  ]

  @Test(arguments: answers.indices) func aDownloadIsAppliedOrTriedAgain(_ index: Int) throws {
    let (answer, outcome, hasPage) = Self.answers[index]
    let isApplied = outcome == .applied
    var system = Self.system("https://fleet.example.org/devices/s3cret-path\n", at: Self.url)
    system.answer = answer
    #expect(provision(&system) == outcome)
    #expect((system.disk[Self.url] == nil) == isApplied && (system.disk[Self.target] != nil) == isApplied)
    #expect((system.disk[Self.page] != nil) == hasPage, "\(system.disk.text(Self.page) ?? "")")
    for path in system.disk.paths where path != Self.url {
      #expect(system.disk.text(path)?.contains("s3cret-path") == false, "\(path)")
    }
    system.answer = .content(Array(Self.file.utf8))
    if !isApplied { #expect(provision(&system) == .applied && system.disk[Self.page] == nil) }
  }

  // MARK: Board

  @Test func theBoardIsSetUpOnlyOnRequest() {
    for (text, boards) in [
      ("{ board: \"/b.json5\", apply_board: true }", ["/b.json5"]),
      ("{ board: \"./b.json5\", apply_board: true }", ["/etc/outrider/./b.json5"]),
      ("{ board: \"x\", apply_board: false }", []),
      ("{ board: \"x\" }", []),
    ] {
      var system = Self.system(text)
      #expect(provision(&system) == .applied && system.boards == boards, "\(text)")
    }
  }

  @Test func aBoardThatCannotBeSetUpLeavesTheConfigurationInEffect() throws {
    var system = Self.system("{ board: \"x\", apply_board: true }")
    system.board = .failed("config.txt is read-only")
    #expect(provision(&system) == .failed)
    let page = try #require(system.disk.text(Self.page))
    #expect(page.contains("board x: the configuration is applied, but") && page.contains("is in effect"))
    #expect(system.disk[Self.target] != nil && system.disk[Self.boot] == nil)
  }
}
