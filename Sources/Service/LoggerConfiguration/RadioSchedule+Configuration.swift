import Scheduling
import Settings

extension RadioSchedule.Rules {
  package init(_ settings: NetworkSettings) {
    self.init()
    timeout = settings.timeout
    settling = settings.settling
    longest = settings.longest
  }
}
