// Serial lines at any speed. termios2 and BOTHER clash with <termios.h>, so they stay behind these functions.
#pragma once

/// Sets a terminal line to raw 8N1 without flow control, modem control or hang-up on close, at `baud`.
/// Returns 0, or -1 with errno set.
int serial_make_raw(int descriptor, unsigned int baud);

/// The line's input speed in baud, or -1 with errno set.
long serial_speed(int descriptor);

/// Bytes that were written and have not left the driver (TIOCOUTQ), or -1 with errno set.
int serial_unsent(int descriptor);

/// The major number of the line's device, or -1 with errno set.
int serial_major(int descriptor);
