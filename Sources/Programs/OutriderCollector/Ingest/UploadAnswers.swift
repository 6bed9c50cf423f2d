import FleetRecords
import HTTPServer
import Quantities

/// The answers to deliveries (appendix A of the wire format).
enum UploadAnswers {
  /// The answer to a committed upload; `reportFault` is that of a report that was left out.
  static func stored(_ receipt: Receipt, reportFault: String? = nil) -> HTTPResponse {
    var text: [UInt8] = []
    text.append(#"{"result":"ok","saved":"#)
    text.appendDecimal(Int64(receipt.saved), decimals: 0)
    text.append(#","known":"#)
    text.appendDecimal(Int64(receipt.known), decimals: 0)
    if receipt.expired > 0 {
      text.append(#","expired":"#)
      text.appendDecimal(Int64(receipt.expired), decimals: 0)
    }
    if let have = receipt.have {
      text.append(#","have":"#)
      text.appendDecimal(have, decimals: 0)
    }
    if let settings = settings(receipt) {
      text.append(#","set":"#)
      text += settings
    }
    if !receipt.unset.isEmpty {
      text.append(#","unset":["#)
      for (index, key) in receipt.unset.enumerated() {
        if index > 0 { text.append(",") }
        text.appendJSONString(key)
      }
      text.append("]")
    }
    if let hash = receipt.settingsHash {
      text.append(#","settings_for":"#)
      text.appendJSONString(hash)
    }
    if let question = receipt.question {
      text.append(#","ask":{"id":""#)
      text.appendDecimal(question.id, decimals: 0)
      text.append(#"","what":"#)
      text.appendJSONString(question.what)
      text.append("}")
    }
    if let reportFault {
      text.append(#","report_error":"#)
      text.appendJSONString(reportFault)
    }
    text.append("}")
    return HTTPResponse(contentType: "application/json", body: text)
  }

  /// The settings of the receipt together with the token of a new device.
  private static func settings(_ receipt: Receipt) -> [UInt8]? {
    guard let token = receipt.token else { return receipt.settings.map { Array($0.utf8) } }
    var text: [UInt8] = []
    text.append(#"{"token":"#)
    text.appendJSONString(token)
    let others = receipt.settings.map { $0.utf8.drop { $0 != UInt8(ascii: "{") }.dropFirst() }
    if let others, others.contains(where: { $0 == UInt8(ascii: "\"") }) {
      text.append(",")
      text += others
    } else {
      text.append("}")
    }
    return text
  }

  /// An error; `record` is the number of the faulty record.
  static func error(
    _ message: String, status: Int, record: Int64? = nil, headers: [HTTPResponse.Header] = []
  ) -> HTTPResponse {
    var text: [UInt8] = []
    text.append(#"{"error":"#)
    text.appendJSONString(message)
    if let record {
      text.append(#","record":"#)
      text.appendDecimal(record, decimals: 0)
    }
    text.append("}")
    return HTTPResponse(status: status, contentType: "application/json", body: text, headers: headers)
  }

  static var unknownToken: HTTPResponse {
    error(
      "missing or unknown token; send it as Authorization: Bearer TOKEN", status: 401,
      headers: [.init("WWW-Authenticate", "Bearer")])
  }

  /// The answer while the server cannot take the request; the client keeps it and repeats it.
  static func later(_ message: String, status: Int = 503, seconds: Int) -> HTTPResponse {
    error(message, status: status, headers: [.init("Retry-After", "\(seconds)")])
  }
}
