import Quantities

/// The text as a JSON string with quotes.
func jsonString(_ text: String) -> String {
  var json: [UInt8] = []
  json.appendJSONString(text)
  return String(decoding: json, as: UTF8.self)
}
