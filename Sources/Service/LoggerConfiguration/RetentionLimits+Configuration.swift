import Settings
import Store
import Uplink

extension RetentionLimits {
  package init(_ storage: StorageSettings) { self.init(age: storage.retention, bytes: storage.limitBytes) }
}
