import Glibc

// A closed pipe must be an error of the call, not the end of the program.
signal(SIGPIPE, SIG_IGN)
exit(Bench.run(Array(CommandLine.arguments.dropFirst())))
