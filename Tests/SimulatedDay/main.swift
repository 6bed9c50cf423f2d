import Glibc

// A closed connection must be an error of the call, not the end of the program.
signal(SIGPIPE, SIG_IGN)

func complain(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}

guard CommandLine.arguments.count == 2 else {
  complain("usage: SimulatedDay DIRECTORY")
  exit(2)
}
do {
  try SimulatedDay(directory: CommandLine.arguments[1]).run()
} catch {
  complain("simulated day: \(error)")
  exit(1)
}
