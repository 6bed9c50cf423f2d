// Serial lines at any baud rate. termios2 and BOTHER clash with <termios.h>, so only serial.c includes their headers.
#pragma once

/// Sets a terminal line to raw 8N1 at `baud`, without flow control, modem control or hang-up on close.
/// Returns 0, or -1 with errno set.
int serial_make_raw(int descriptor, unsigned int baud);

/// The line's input baud rate, or -1 with errno set.
long serial_speed(int descriptor);

/// The number of written bytes that the driver has not sent yet (TIOCOUTQ), or -1 with errno set.
int serial_unsent(int descriptor);

/// The major number of the line's device, or -1 with errno set.
int serial_major(int descriptor);
