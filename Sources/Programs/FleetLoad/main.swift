import EventLoop
import Glibc
import System

/// Reads the options and runs the load.
func runLoad() -> Int32 {
  if CommandLine.arguments.contains("--help") {
    print(LoadOptions.help)
    return 0
  }
  do {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let options = try LoadOptions(CommandLine.arguments.dropFirst())
    let tokens = try options.tokenFile.map { path in
      String(decoding: try FileBytes.read(path, limit: 100_000_000), as: UTF8.self).split(separator: "\n")
        .map(String.init)
    }
    let run = LoadRun(options, tokens: tokens ?? [], loop: try EventLoop())
    try run.run()
    print(options.isJSON ? run.report.json : run.report.text)
    return 0
  } catch let misuse as LoadOptions.Misuse {
    print("FleetLoad: \(misuse.message)\n\(LoadOptions.help)")
    return 2
  } catch {
    print("FleetLoad: \(error)")
    return 1
  }
}

exit(runLoad())
