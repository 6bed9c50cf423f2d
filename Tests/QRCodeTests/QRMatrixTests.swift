import Foundation
import QRCode
import Testing

/// QR codes as libqrencode makes them, drawn as text and as images.
@Suite struct QRMatrixTests {
  @Test func theFinderPatternsAreInThreeCorners() throws {
    let code = try QRMatrix("overland://setup?url=https%3A%2F%2Fexample.org")
    #expect((code.size - 17).isMultiple(of: 4))
    let finder = [0b1111111, 0b1000001, 0b1011101, 0b1011101, 0b1011101, 0b1000001, 0b1111111]
    func rows(_ row: Int, _ column: Int) -> [Int] {
      (0..<7).map { r in
        (0..<7).reduce(0) { $0 << 1 | (code.isDark(row: row + r, column: column + $1) ? 1 : 0) }
      }
    }
    #expect(rows(0, 0) == finder && rows(0, code.size - 7) == finder && rows(code.size - 7, 0) == finder)
    #expect(rows(code.size - 7, code.size - 7) != finder)
    #expect(!code.isDark(row: -1, column: 0) && !code.isDark(row: 0, column: code.size))
  }

  @Test func theLongestTextFitsAndALongerOneIsAnError() throws {
    #expect(try QRMatrix(String(repeating: "é", count: QRMatrix.most / 2)).size == 177)
    #expect(throws: QRError.tooLong(bytes: QRMatrix.most + 1)) {
      try QRMatrix(String(repeating: "x", count: QRMatrix.most + 1))
    }
    #expect(throws: QRError.empty) { try QRMatrix("") }
  }

  @Test func theTextHasAQuietZoneAndTwoModulesPerCell() throws {
    let code = try QRMatrix("x")
    let lines = code.lines(colors: false)
    #expect(code.size == 21 && lines.count == 15 && lines.allSatisfy { $0.count == 29 })
    #expect(lines[0] == String(repeating: "█", count: 29) && lines[1] == lines[0])
    // The upper edge of a finder pattern: seven dark modules above five light ones.
    #expect(lines[2].dropFirst(4).prefix(7) == " ▄▄▄▄▄ ")
    #expect(
      code.lines(colors: true).allSatisfy { $0.hasPrefix("\u{1b}[97;40m") && $0.hasSuffix("\u{1b}[0m") })
  }

  @Test func theSVGDrawsEachDarkModuleOnce() throws {
    let code = try QRMatrix("outrider")
    let text = String(decoding: code.svg, as: UTF8.self)
    let runs = text.matches(of: #/M(\d+) (\d+)h(\d+)v1h-(\d+)z/#)
    var drawn = Set<Int>()
    for run in runs {
      let column = try #require(Int(run.1))
      let row = try #require(Int(run.2))
      for offset in 0..<(try #require(Int(run.3))) { drawn.insert((row - 4) * 1000 + column - 4 + offset) }
    }
    let dark = (0..<code.size).flatMap { row in
      (0..<code.size).filter { code.isDark(row: row, column: $0) }.map { row * 1000 + $0 }
    }
    #expect(drawn == Set(dark))
    #expect(text.hasPrefix("<svg xmlns=") && text.contains(#"viewBox="0 0 29 29""#))
  }

  private static let reader = ["/usr/bin/zbarimg", "/usr/local/bin/zbarimg"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static let texts = [
    "overland://setup?url=https%3A%2F%2Fexample.org%2Fapi&token=s3cret%26%3D&device_id=van%20%C3%A9",
    "x", String(repeating: "0123456789", count: 60),
  ]

  @Test(.enabled(if: reader != nil, "zbarimg is not installed (package zbar-tools)"), arguments: texts)
  func aReaderOfQRCodesReadsTheImage(text: String) throws {
    let path = NSTemporaryDirectory() + "code-\(UUID().uuidString).png"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(try QRMatrix(text).png()).write(to: URL(fileURLWithPath: path))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Self.reader))
    process.arguments = ["--quiet", "--raw", "--nodbus", path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: bytes, as: UTF8.self) == text + "\n")
  }
}

/// Texts of other people: names of networks, URLs of servers.
@Suite struct HostileTextTests {
  static let texts: [String] = [
    "\0", String(repeating: "\0", count: QRMatrix.most), "a\0b", "\u{10FFFF}", "\u{FEFF}\u{202E}", "\r\n",
    String(repeating: "9", count: QRMatrix.most), String(repeating: "A", count: QRMatrix.most),
    String(repeating: "\u{8140}", count: 900), String(repeating: "\u{FFFF}", count: QRMatrix.most / 3),
    "漢字かな" + String(repeating: "0", count: 2000) + "ÿ",
  ]

  @Test(arguments: texts.indices)
  func everyTextHasACode(_ index: Int) throws {
    let code = try QRMatrix(Self.texts[index])
    #expect((21...177).contains(code.size))
  }

  @Test func everyLengthHasACodeOrAnError() {
    for length in Array(1...200) + Array(2300...2960) {
      let text = String(repeating: "é", count: length / 2) + (length.isMultiple(of: 2) ? "" : "x")
      #expect(((try? QRMatrix(text)) != nil) == (length <= QRMatrix.most), "\(length)")
    }
  }
}
