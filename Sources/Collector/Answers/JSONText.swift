import Formats

/// A text as a JSON string, quotes included.
func jsonString(_ text: String) -> String {
  var json: [UInt8] = []
  json.appendJSONString(text)
  return String(decoding: json, as: UTF8.self)
}
