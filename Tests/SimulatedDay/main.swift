import Glibc

// A closed connection must be an error of the call, not the end of the program.
signal(SIGPIPE, SIG_IGN)

guard CommandLine.arguments.count == 2 else {
  fputs("usage: SimulatedDay DIRECTORY\n", stderr)
  exit(2)
}
do {
  try SimulatedDay(directory: CommandLine.arguments[1]).run()
} catch {
  fputs("simulated day: \(error)\n", stderr)
  exit(1)
}
