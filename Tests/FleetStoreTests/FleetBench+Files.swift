import Foundation

/// Removes a temporary folder with all files.
func removeFolder(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
