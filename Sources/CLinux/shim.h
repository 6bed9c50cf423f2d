// Kernel headers that the Glibc module leaves out, and the request numbers Swift cannot compute.
#pragma once
#include <linux/magic.h>
#include <linux/rtc.h>
#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/statfs.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/un.h>

static const unsigned long outrider_TIOCGPTN = TIOCGPTN;
static const unsigned long outrider_TIOCSPTLCK = TIOCSPTLCK;
static const unsigned long outrider_TIOCEXCL = TIOCEXCL;
static const unsigned long outrider_TIOCNXCL = TIOCNXCL;

static const unsigned long outrider_RTC_RD_TIME = RTC_RD_TIME;
static const unsigned long outrider_RTC_WKALM_SET = RTC_WKALM_SET;
static const unsigned long outrider_RTC_AIE_OFF = RTC_AIE_OFF;

/// Names the calling thread, at most 15 bytes (prctl(2), which is variadic).
static inline int outrider_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

// Declared for GNU programs only.
int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

/// Closes every descriptor of the new program from this one on (posix_spawn_file_actions_addclosefrom_np(3)).
static inline int outrider_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

/// Ends that are closed by themselves in other programs and never block (pipe2(2)).
static inline int outrider_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }
