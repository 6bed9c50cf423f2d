// Kernel headers that the Glibc module leaves out, and the request numbers Swift cannot compute.
#pragma once
#include <linux/magic.h>
#include <malloc.h>
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

/// Names the calling thread, at most 15 bytes (prctl(2), which is variadic).
static inline int outrider_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
