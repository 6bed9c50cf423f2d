import Glibc
import MQTTClient
import System

StandardStreams.occupyClosed()
if let status = SessionProcess.run(CommandLine.arguments) { exit(status) }
// A closed pipe and the file size limit must be errors of the call, not the end of the process.
signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)
do {
  exit(Commands.run(try CommandLineWords.read()))
} catch {
  Console.complain("\(error)")
  exit(2)
}
