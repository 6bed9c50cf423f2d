import Glibc

Console.occupyClosedStreams()
// A reader that leaves and a file at its limit are errors of the call, not the end of the program.
signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)
do {
  exit(Commands.run(try CommandLineWords.read()))
} catch {
  Console.complain("\(error)")
  exit(2)
}
