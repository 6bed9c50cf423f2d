import Foundation
import GNSSProtocol
import GNSSReceiver
import Quantities
import TestSupport
import Testing

@Suite struct MessageListingTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let line: String
    var testDescription: String { String(line.prefix(60)) }
    init(_ body: String, _ line: String) { (bytes, self.line) = (sentence(body), line) }
    init(_ bytes: [UInt8], _ line: String) { (self.bytes, self.line) = (bytes, line) }
  }

  static let sentences: [Case] = [
    Case(
      "GNRMC,001112.00,A,0000.5,N,01000.25,E,1.000,,010326,,,A,V",
      #"{"class":"NMEA","talker":"GN","sentence":"RMC","time":"001112.00","status":"A","lat":"0000.5","NS":"N","#
        + #""lon":"01000.25","EW":"E","spd":1.000,"date":"010326","posMode":"A","navStatus":"V"}"#),
    Case(
      "GPGGA,101112,,,,,0,00,99.99,-.5,M,+007.,M,,0000",
      #"{"class":"NMEA","talker":"GP","sentence":"GGA","time":"101112","quality":0,"numSV":0,"HDOP":99.99,"#
        + #""alt":-0.5,"altUnit":"M","sep":7,"sepUnit":"M","diffStation":"0000"}"#),
    Case(
      "GNGNS,101112.00,,,,,NNN,00,99.99,,,,,V",
      #"{"class":"NMEA","talker":"GN","sentence":"GNS","time":"101112.00","posMode":"NNN","numSV":0,"#
        + #""HDOP":99.99,"navStatus":"V"}"#),
    Case(
      "GPGLL,,,,,101112,V,N",
      #"{"class":"NMEA","talker":"GP","sentence":"GLL","time":"101112","status":"V","posMode":"N"}"#),
    Case(
      "GPVTG,90.0,T,,M,1.0,N,1.9,K,A",
      #"{"class":"NMEA","talker":"GP","sentence":"VTG","cogt":90.0,"cogtUnit":"T","cogmUnit":"M","sogn":1.0,"#
        + #""sognUnit":"N","sogk":1.9,"sogkUnit":"K","posMode":"A"}"#),
    Case(
      "GPVTG,90.0,,1.0,1.9",
      #"{"class":"NMEA","talker":"GP","sentence":"VTG","cogt":90.0,"sogn":1.0,"sogk":1.9}"#),
    Case(
      "GNGSA,A,3,05,13,,,,,,,,,,,1.5,0.9,1.2,A",
      #"{"class":"NMEA","talker":"GN","sentence":"GSA","opMode":"A","navMode":3,"svid":["05","13"],"PDOP":1.5,"#
        + #""HDOP":0.9,"VDOP":1.2,"systemId":"A"}"#),
    Case(
      "BDGSV,2,1,06,05,04,007,38,13,,,,,,,,1",
      #"{"class":"NMEA","talker":"BD","sentence":"GSV","numMsg":2,"msgNum":1,"numSV":6,"satellites":["#
        + #"{"svid":"05","elv":4,"az":7,"cno":38},{"svid":"13"}],"signalId":"1"}"#),
    Case(
      "GPGSV,1,1,00",
      #"{"class":"NMEA","talker":"GP","sentence":"GSV","numMsg":1,"msgNum":1,"numSV":0,"satellites":[]}"#),
    Case(
      "GNGST,101112.00,2.1,,,,1.5,1.4,3.0",
      #"{"class":"NMEA","talker":"GN","sentence":"GST","time":"101112.00","rangeRms":2.1,"stdLat":1.5,"#
        + #""stdLong":1.4,"stdAlt":3.0}"#),
    Case(
      "GNZDA,101112.00,01,03,2026,00,00",
      #"{"class":"NMEA","talker":"GN","sentence":"ZDA","time":"101112.00","day":1,"month":3,"year":2026,"ltzh":0,"#
        + #""ltzn":0}"#),
    Case(
      "GNGBS,101112.00,1.0,1.0,3.1,,,,,,",
      #"{"class":"NMEA","talker":"GN","sentence":"GBS","time":"101112.00","errLat":1.0,"errLon":1.0,"errAlt":3.1}"#
    ),
    Case(
      #"GNTXT,01,01,02,a "b", c\d"#,
      #"{"class":"NMEA","talker":"GN","sentence":"TXT","numMsg":1,"msgNum":1,"msgType":"02","text":"a \"b\", c\\d"}"#
    ),
    Case(
      "PUBX,00,101112.00,,,,,,NF,5303302,,,,,,99.99,99.99,99.99,0,0,0",
      #"{"class":"NMEA","sentence":"PUBX,00","time":"101112.00","navStat":"NF","hAcc":5303302,"HDOP":99.99,"#
        + #""VDOP":99.99,"TDOP":99.99,"numSvs":0,"reserved":0,"DR":0}"#),
    Case(
      "PUBX,03,01,23,-,,,45,010",
      #"{"class":"NMEA","sentence":"PUBX,03","n":1,"satellites":[{"sv":"23","s":"-","cno":45,"lck":10}]}"#),
    Case(
      "PUBX,04,073731.00,091202,113851.00,1196,15D,1930035,-2660.664,43",
      #"{"class":"NMEA","sentence":"PUBX,04","time":"073731.00","date":"091202","utcTow":113851.00,"utcWk":1196,"#
        + #""leapSec":"15D","clkBias":1930035,"clkDrift":-2660.664,"tpGran":43}"#),
    Case("PUBX,41,1", #"{"class":"NMEA","sentence":"PUBX","fields":["41","1"]}"#),
    Case("PMTK001,220,3", #"{"class":"NMEA","sentence":"PMTK001","Cmd":220,"Flag":3}"#),
    Case("PMTK001,220,3,1000", #"{"class":"NMEA","sentence":"PMTK001","Cmd":220,"Flag":3,"rest":["1000"]}"#),
    Case("PMTK010,001", #"{"class":"NMEA","sentence":"PMTK010","Msg":"001"}"#),
    Case("PMTK011,MTKGPS", #"{"class":"NMEA","sentence":"PMTK011","Text":"MTKGPS"}"#),
    Case(
      "PMTK705,AXN_2.51,0002,QUECTEL-L70,1.0",
      #"{"class":"NMEA","sentence":"PMTK705","ReleaseStr":"AXN_2.51","Build_ID":"0002","#
        + #""Product_Model":"QUECTEL-L70","SDK_Version":"1.0"}"#),
    Case("PAIR001,050,0", #"{"class":"NMEA","sentence":"PAIR001","CommandID":50,"Result":0}"#),
    Case(
      "PAIR021,AG3335M_V2.5.0,S,N",
      #"{"class":"NMEA","sentence":"PAIR021","Version":"AG3335M_V2.5.0","rest":["S","N"]}"#),
    Case(
      "PQTMVERNO,LC29HAANR01A03S,2022/09/05,11:26:31",
      #"{"class":"NMEA","sentence":"PQTMVERNO","VerStr":"LC29HAANR01A03S","BuildDate":"2022/09/05","#
        + #""BuildTime":"11:26:31"}"#),
    Case("PQTMCFGUART,OK", #"{"class":"NMEA","sentence":"PQTMCFGUART","fields":["OK"]}"#),
    Case("GYOACC,1,,2", #"{"class":"NMEA","sentence":"GYOACC","fields":["1","","2"]}"#),
    Case("GPXYZ", #"{"class":"NMEA","talker":"GP","sentence":"XYZ","fields":[]}"#),
    Case(
      "IIRMC,101112",
      #"{"class":"NMEA","talker":"II","sentence":"RMC","time":"101112"}"#),
  ]

  /// The payload of MON-VER: texts that end at a NUL, and one with bytes that JSON must escape.
  private static let version: [UInt8] = {
    var payload = Array("EXT CORE 1.00".utf8)
    payload += [UInt8](repeating: 0, count: 17)
    payload += Array("00190000\0\0PROTVER=34.10".utf8)
    payload += [UInt8](repeating: 0, count: 17)
    payload += [0x22, 0x5C, 0x0A, 0xE9]
    payload += [UInt8](repeating: 0, count: 26)
    return payload
  }()

  static let binaries: [Case] = [
    Case(ubx(0x05, 0x00, [6, 0x8A]), #"{"class":"UBX","message":"ACK-NAK","clsID":"0x06","msgID":"0x8a"}"#),
    Case(ubx(0x01, 0x61, [0x10, 0x27, 0, 0]), #"{"class":"UBX","message":"NAV-EOE","iTOW":10000}"#),
    Case(ubx(0x01, 0x61, []), #"{"class":"UBX","message":"NAV-EOE","length":0}"#),
    Case(
      ubx(0x01, 0x43, [1, 0xAB]),
      #"{"class":"UBX","class_id":"0x01","id":"0x43","length":2,"payload":"01ab"}"#),
    Case(
      ubx(0x01, 0x43, [UInt8](repeating: 7, count: 257)),
      #"{"class":"UBX","class_id":"0x01","id":"0x43","length":257,"payload":""#
        + String(repeating: "07", count: 256) + "…\"}"),
    Case(
      ubx(0x01, 0x02, [UInt8](hexadecimal: "01000000 FFFFFFFF 00E1F505 18FCFFFF 00000080 FFFFFFFF 02000000")),
      #"{"class":"UBX","message":"NAV-POSLLH","iTOW":1,"lon":-0.0000001,"lat":10,"height":-1000,"#
        + #""hMSL":-2147483648,"hAcc":4294967295,"vAcc":2}"#),
    Case(
      ubx(
        0x01, 0x35,
        [UInt8](
          hexadecimal: "05000000 01 02 0000 00 05 28 FB 2C01 FBFF 1F190000 06 FF 00 A5 0000 0000 10000000")),
      #"{"class":"UBX","message":"NAV-SAT","iTOW":5,"version":1,"numSvs":2,"satellites":["#
        + #"{"gnssId":0,"svId":5,"cno":40,"elev":-5,"azim":300,"prRes":-0.5,"flags":"0x0000191f"},"#
        + #"{"gnssId":6,"svId":255,"cno":0,"elev":-91,"azim":0,"prRes":0,"flags":"0x00000010"}]}"#),
    Case(
      ubx(0x01, 0x30, [UInt8](hexadecimal: "05000000 01 04 0000 02 1D 0D 07 2A 2D 5A00 9CFFFFFF")),
      #"{"class":"UBX","message":"NAV-SVINFO","iTOW":5,"numCh":1,"globalFlags":"0x04","channels":["#
        + #"{"chn":2,"svid":29,"flags":"0x0d","quality":"0x07","cno":42,"elev":45,"azim":90,"prRes":-100}]}"#
    ),
    Case(
      ubx(0x0A, 0x04, version),
      #"{"class":"UBX","message":"MON-VER","swVersion":"EXT CORE 1.00","hwVersion":"00190000","#
        + #""extension":["PROTVER=34.10","\"\\\u000a\u00e9"]}"#),
    Case(
      ubx(
        0x06, 0x8A,
        [UInt8](
          hexadecimal: "00 01 0000 01002130 E803 07009120 01 01005240 00C20100 01000050 0100000000000080")),
      #"{"class":"UBX","message":"CFG-VALSET","version":0,"layers":"0x01","transaction":"0x00","cfgData":["#
        + #"{"key":"0x30210001","value":1000},{"key":"0x20910007","value":1},{"key":"0x40520001","value":115200},"#
        + #"{"key":"0x50000001","value":"0x8000000000000001"}]}"#),
    Case(
      ubx(0x06, 0x8B, [UInt8](hexadecimal: "00 07 0200 01002130 07009120")),
      #"{"class":"UBX","message":"CFG-VALGET","version":0,"layer":7,"position":2,"keys":["0x30210001","0x20910007"]}"#
    ),
    Case(
      ubx(0x06, 0x8B, [UInt8](hexadecimal: "01 00 0000 01002130 E8")),
      #"{"class":"UBX","message":"CFG-VALGET","version":1,"layer":0,"position":0,"cfgData":[],"length":9,"#
        + #""payload":"0100000001002130e8"}"#),
    Case(
      ubx(0x0A, 0x38, [UInt8](hexadecimal: "00 01 0000 00 01 02 0F 00000000")),
      #"{"class":"UBX","message":"MON-RF","version":0,"nBlocks":1,"length":12,"payload":"000100000001020f00000000"}"#
    ),
    Case(
      ubx(0x09, 0x14, [UInt8](hexadecimal: "03000000 02000000")),
      #"{"class":"UBX","message":"UPD-SOS","cmd":3,"response":2}"#),
    Case(
      ubx(0x13, 0x60, [UInt8](hexadecimal: "01 00 00 40 10000080")),
      #"{"class":"UBX","message":"MGA-ACK","type":1,"version":0,"infoCode":0,"msgId":"0x40","msgPayloadStart":"10000080"}"#
    ),
    Case(
      casic(0x05, 0x01, [6, 4, 0, 0]), #"{"class":"CASIC","message":"ACK","clsID":"0x06","msgID":"0x04"}"#),
    Case(
      casic(0x01, 0x20, [1, 2, 3, 4]),
      #"{"class":"CASIC","class_id":"0x01","id":"0x20","length":4,"payload":"01020304"}"#),
    Case(
      casic(
        0x01, 0x01, [UInt8](hexadecimal: "01000000 0000C03F 0000C07F 000080FF 00000000 CDCCCC3D 01000000")),
      #"{"class":"CASIC","message":"NAV-DOP","runTime":1,"pDop":1.5,"hDop":null,"vDop":null,"nDop":0.0,"#
        + #""eDop":0.1,"tDop":1e-45}"#),
    Case([0xA0, 0xA2, 0, 2, 2, 1, 0, 3, 0xB0, 0xB3], #"{"class":"SIRF"}"#),
  ]

  @Test(arguments: sentences + binaries)
  func aMessageIsOneLineWithItsFields(_ example: Case) throws {
    #expect(listing(example.bytes) == example.line + "\n")
    #expect(try objects(listing(example.bytes)).count == 1)
  }

  @Test func theSolutionHasTheUnitsOfTheInterfaceDescription() {
    #expect(
      listing(PVT().frame)
        == #"{"class":"UBX","message":"NAV-PVT","iTOW":0,"year":2025,"month":4,"day":11,"hour":23,"min":14,"sec":8,"#
        + #""valid":"0x07","tAcc":0,"nano":0,"fixType":3,"flags":"0x01","flags2":"0x00","numSV":11,"lon":7.6590613,"#
        + #""lat":45.065772,"height":304639,"hMSL":257404,"hAcc":1500,"vAcc":2500,"velN":0,"velE":0,"velD":-250,"#
        + #""gSpeed":1234,"headMot":190.0427,"sAcc":200,"headAcc":5,"pDOP":1.42,"flags3":"0x0000","headVeh":0,"#
        + #""magDec":0,"magAcc":0}"# + "\n")
  }

  @Test func theShortSolutionOfProtocol14HasOnlyItsFields() {
    var solution = PVT()
    solution.length = 84
    #expect(listing(solution.frame).hasSuffix(#""flags3":"0x0000","length":84}"# + "\n"))
  }

  @Test func messagesWithoutAValidChecksumAreOmitted() {
    var damaged = ubx(0x05, 0x01, [6, 1])
    damaged[7] ^= 1
    let text = listing(
      Array("$GPGLL,,,,,,V,N*65\r\n$GPGLL,,,,,,V,N\r\nnoise".utf8) + damaged + sentence("GPGLL,,,,,,V,N"))
    #expect(text == #"{"class":"NMEA","talker":"GP","sentence":"GLL","status":"V","posMode":"N"}"# + "\n")
  }

  @Test func messagesAfterIncompleteFramesAreListedAtTheEnd() {
    let half: [UInt8] = [0xB5, 0x62, 1, 7, 0, 8]
    #expect(listing(half + half + sentence("GPXYZ")).contains("XYZ"))
  }

  @Test(arguments: 0..<60)
  func anyBytesGiveValidLinesForAnyDivision(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let bytes = wildBytes(&random)
    let text = listing(bytes)
    _ = try objects(text)
    #expect(listing(bytes, pieces: { 1 }) == text)
    #expect(listing(bytes, pieces: { Int.random(in: 1...40, using: &random) }) == text)
  }
}
