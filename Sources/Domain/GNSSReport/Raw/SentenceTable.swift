import GNSSProtocol

extension SentenceLayout {
  /// The sentences with named fields. Names of standard sentences are those of the u-blox interface
  /// descriptions.
  static let known: [SentenceLayout] = [
    SentenceLayout(
      "RMC",
      [
        .code("time"), "status", .code("lat"), "NS", .code("lon"), "EW", "spd", "cog", .code("date"), "mv",
        "mvEW", "posMode", "navStatus",
      ]),
    SentenceLayout(
      "GGA",
      [
        .code("time"), .code("lat"), "NS", .code("lon"), "EW", "quality", "numSV", "HDOP", "alt", "altUnit",
        "sep", "sepUnit", "diffAge", .code("diffStation"),
      ]),
    SentenceLayout(
      "GNS",
      [
        .code("time"), .code("lat"), "NS", .code("lon"), "EW", "posMode", "numSV", "HDOP", "alt", "sep",
        "diffAge", .code("diffStation"), "navStatus",
      ]),
    SentenceLayout(
      "GLL", [.code("lat"), "NS", .code("lon"), "EW", .code("time"), "status", "posMode"]),
    SentenceLayout("VTG", count: 4, ["cogt", "cogm", "sogn", "sogk"]),
    SentenceLayout(
      "VTG",
      [
        "cogt", "cogtUnit", "cogm", "cogmUnit", "sogn", "sognUnit", "sogk", "sogkUnit", "posMode",
      ]),
    SentenceLayout(
      "GSA", ["opMode", "navMode", .codes("svid", 12), "PDOP", "HDOP", "VDOP", .code("systemId")]),
    SentenceLayout(
      "GSV",
      [
        "numMsg", "msgNum", "numSV", .groups("satellites", [.code("svid"), "elv", "az", "cno"]),
        .code("signalId"),
      ]),
    SentenceLayout(
      "GST",
      [.code("time"), "rangeRms", "stdMajor", "stdMinor", "orient", "stdLat", "stdLong", "stdAlt"]),
    SentenceLayout("ZDA", [.code("time"), "day", "month", "year", "ltzh", "ltzn"]),
    SentenceLayout(
      "GBS",
      [
        .code("time"), "errLat", "errLon", "errAlt", .code("svid"), "prob", "bias", "stddev",
        .code("systemId"), .code("signalId"),
      ]),
    SentenceLayout("TXT", ["numMsg", "msgNum", .code("msgType"), .freeText("text")]),

    // u-blox
    SentenceLayout(
      "PUBX,00",
      [
        .code("time"), .code("lat"), "NS", .code("lon"), "EW", "altRef", "navStat", "hAcc", "vAcc", "SOG",
        "COG", "vVel", "diffAge", "HDOP", "VDOP", "TDOP", "numSvs", "reserved", "DR",
      ]),
    SentenceLayout(
      "PUBX,03", ["n", .groups("satellites", [.code("sv"), "s", "az", "el", "cno", "lck"])]),
    SentenceLayout(
      "PUBX,04",
      [
        .code("time"), .code("date"), "utcTow", "utcWk", "leapSec", "clkBias", "clkDrift", "tpGran",
      ]),

    // MediaTek
    SentenceLayout("PMTK001", ["Cmd", "Flag"]),
    SentenceLayout("PMTK010", [.code("Msg")]),
    SentenceLayout("PMTK011", [.freeText("Text")]),
    SentenceLayout(
      "PMTK705", [.code("ReleaseStr"), .code("Build_ID"), .code("Product_Model"), .code("SDK_Version")]),

    // Airoha
    SentenceLayout("PAIR001", ["CommandID", "Result"]),
    SentenceLayout("PAIR010", ["Type", "SubSystem", "WN", "TOW"]),
    SentenceLayout("PAIR021", [.code("Version")]),

    // Quectel
    SentenceLayout("PQTMVERNO", [.code("VerStr"), .code("BuildDate"), .code("BuildTime")]),
    SentenceLayout("PQTMEPE", ["MsgVer", "EPE_North", "EPE_East", "EPE_Down", "EPE_2D", "EPE_3D"]),

    // SkyTraq
    SentenceLayout(
      "PSTI,030",
      [
        .code("time"), "status", .code("lat"), "NS", .code("lon"), "EW", "alt", "velE", "velN", "velU",
        .code("date"), "posMode", "rtkAge", "rtkRatio",
      ]),
    SentenceLayout(
      "PSTI,032",
      [
        .code("time"), .code("date"), "status", "posMode", "eastProjection", "northProjection",
        "upProjection", "baselineLength", "baselineCourse",
      ]),
  ]
}
