// Headers that the Glibc module lacks, ioctl request numbers that Swift does not import, and the signal handler.
#pragma once
#include <linux/magic.h>
#include <linux/rtc.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <unistd.h>

static const unsigned long outrider_TIOCGPTN = TIOCGPTN;
static const unsigned long outrider_TIOCSPTLCK = TIOCSPTLCK;
static const unsigned long outrider_TIOCEXCL = TIOCEXCL;
static const unsigned long outrider_TIOCNXCL = TIOCNXCL;

static const unsigned long outrider_RTC_RD_TIME = RTC_RD_TIME;
static const unsigned long outrider_RTC_WKALM_SET = RTC_WKALM_SET;
static const unsigned long outrider_RTC_WKALM_RD = RTC_WKALM_RD;
static const unsigned long outrider_RTC_AIE_OFF = RTC_AIE_OFF;

/// A sample of chrony's SOCK reference clock driver (`refclock SOCK` in chrony.conf(5), struct sock_sample in its
/// refclock_sock.c). Its size follows `struct timeval`: 40 bytes with a 64-bit `time_t`.
struct outrider_sock_sample {
  struct timeval system_time;
  double offset;
  int pulse;
  int leap;
  int padding;
  int magic;
};

/// Sets the name of the calling thread, at most 15 bytes (prctl(2), which is variadic).
static inline int outrider_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

/// Lets the kernel send `number` to this process when the thread that started it ends (prctl(2), which is variadic).
static inline int outrider_follow_parent(int number) { return prctl(PR_SET_PDEATHSIG, number, 0, 0, 0); }

/// Forbids memory dumps of this process, and other processes of the user to read its memory (prctl(2)).
static inline int outrider_hide_memory(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/// Limits the heaps of threads to the first one: each further one reserves 64 MiB of addresses (mallopt(3)).
static inline int outrider_use_one_heap(void) { return mallopt(M_ARENA_MAX, 1); }

// glibc declares these two only with _GNU_SOURCE.
int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

/// Closes all descriptors from `first` on in the new program (posix_spawn_file_actions_addclosefrom_np(3)).
static inline int outrider_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

/// Creates a pipe whose ends are non-blocking and close when another program is executed (pipe2(2)).
static inline int outrider_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

// The signal handler that records the cause of the program's end. It calls only functions that signal-safety(7) allows.

// The initializer is required: Swift does not import a variable without one.
static struct {
  int file;
  pid_t supervisor;
  struct sigaction former[_NSIG];
} outrider_end = {.file = -1};

/// Writes the sender of the signal ('s' the supervisor, 'o' another program, 'f' a fault of the program itself) and the
/// signal number as two digits, then lets the signal end the program.
static inline void outrider_say_last_word(int number, siginfo_t *information, void *context) {
  (void)context;
  int before = errno;
  pid_t sender = information->si_code == SI_USER || information->si_code == SI_QUEUE ? information->si_pid : getpid();
  char word[3];
  word[0] = sender == getpid() ? 'f' : sender == outrider_end.supervisor ? 's' : 'o';
  word[1] = (char)('0' + number / 10 % 10);
  word[2] = (char)('0' + number % 10);
  ssize_t written = write(outrider_end.file, word, sizeof word);
  (void)written;
  errno = before;
  // A fault recurs when the handler returns, and Swift's handler may print a backtrace. A signal that was sent does not
  // recur, and the program would continue, so it is raised again with the default action.
  if (information->si_code > 0) {
    sigaction(number, &outrider_end.former[number], NULL);
  } else {
    signal(number, SIG_DFL);
    raise(number);
  }
}

/// Installs the handler for a signal, with the file that it writes to. Returns 0, or -1 (sigaction(2)).
static inline int outrider_expect_end(int number, int file, pid_t supervisor) {
  if (number < 1 || number >= _NSIG) return -1;
  outrider_end.file = file;
  outrider_end.supervisor = supervisor;
  struct sigaction action = {0};
  action.sa_sigaction = outrider_say_last_word;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, &outrider_end.former[number]);
}
