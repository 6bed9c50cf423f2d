import Glibc
import System

StandardStreams.occupyClosed()
// A closed pipe must be an error of the call, not the end of the process.
signal(SIGPIPE, SIG_IGN)
let words = CommandLine.arguments
exit(
  CollectorProgram.run(
    words,
    [
      ServeCommand.command(StoreOpener.open),
      FleetCommand.command(environment: ProcessEnvironment.variable),
    ], print: Console.print, complain: Console.complain))
