import GNSSProtocol
import Quantities
import TestSupport
import Testing

/// The recorded answers of real receivers.
@Suite(
  .enabled(
    if: SharedRecordings.arePresent,
    "recordings are absent: put them in ../shared, or name their folder in OUTRIDER_SHARED"))
struct AnswerRecordingTests {
  @Test func ublox8AnswersItsConfiguration() throws {
    let answers = try answers(in: "ublox-8-config-acks.bin")
    #expect(answers.count { $0.settles(.acknowledge(class: 0x06, id: 0x01)) == true } == 28)
    #expect(answers.count { $0.settles(.acknowledge(class: 0x06, id: 0x01)) == false } == 2)
    #expect(answers.count { $0.settles(.acknowledge(class: 0x06, id: 0x00)) == true } == 3)
    let identity = ReceiverIdentity(
      family: .ubloxMessages, protocolVersion: 1800, firmware: "SPG 3.01", hardware: "00080000")
    #expect(answers.contains(.version(identity)))
    #expect(answers.contains(.errorText("PMTK inv format")))
  }

  @Test func ubloxAnswersItsKeys() throws {
    let answers = try answers(in: "ublox-valset-session.bin")
    #expect(answers.count { $0.settles(.acknowledge(class: 0x06, id: 0x8A)) == true } == 22)
    #expect(answers.count { $0.settles(.acknowledge(class: 0x06, id: 0x8A)) == false } == 5)
  }

  @Test func l70AnswersItsSentences() throws {
    let answers = try answers(in: "quectel-l70-pmtk.nmea")
    #expect(
      answers.filter {
        if case .pmtk = $0 { true } else { false }
      }.count == 6)
    #expect(answers.contains(.pmtk(command: 320, flag: 2)))
    let identity = ReceiverIdentity(
      family: .mediaTek, module: "QUECTEL-L70", firmware: "AXN_2.51_3339_19071200")
    #expect(answers.contains(.version(identity)))
  }

  @Test func l76kReportsItsAntenna() throws {
    #expect(try answers(in: "casic-l76k-dual.bin") == Array(repeating: .antenna(.ok), count: 130))
  }

  @Test func f9rReportsItsRFPaths() throws {
    #expect(try answers(in: "ublox-zed-f9r-mixed.bin").filter { $0 == .antenna(.ok) }.count == 7)
  }

  @Test(arguments: [
    "mtk-mt3339-pihat.nmea", "sirfstar5.nmea", "st-teseo-liv3f.nmea", "vessel-1hz-20min.nmea",
  ])
  func receiversWithoutQueriesGiveNoAnswers(name: String) throws {
    #expect(try answers(in: name).isEmpty)
  }

  private func answers(in name: String) throws -> [ReceiverAnswer] {
    let recording = Array(try SharedRecordings.contents(of: "gnss/\(name)"))
    var answers: [ReceiverAnswer] = []
    var decoder = ReceiverDecoder()
    recording.withUnsafeBytes { bytes in
      decoder.decode(bytes, at: .zero) { if case .answer(let answer) = $0 { answers.append(answer) } }
    }
    return answers
  }
}
