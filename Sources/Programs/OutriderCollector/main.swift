import Glibc

// A closed pipe must be an error of the call, not the end of the process.
signal(SIGPIPE, SIG_IGN)
let words = CommandLine.arguments
exit(
  CollectorProgram.run(
    words, [ServeCommand.command(StoreOpener.open)], print: Console.print, complain: Console.complain))
