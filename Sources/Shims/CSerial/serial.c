#include "CSerial.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/// The termios code of a common baud rate, which programs without termios2 understand, too; otherwise BOTHER.
static unsigned speed_code(unsigned int baud) {
  switch (baud) {
    case 4800: return B4800;
    case 9600: return B9600;
    case 19200: return B19200;
    case 38400: return B38400;
    case 57600: return B57600;
    case 115200: return B115200;
    case 230400: return B230400;
    case 460800: return B460800;
    case 921600: return B921600;
    default: return BOTHER;
  }
}

int serial_make_raw(int descriptor, unsigned int baud) {
  struct termios2 line;
  if (ioctl(descriptor, TCGETS2, &line) != 0) return -1;
  line.c_iflag &= ~(unsigned)(IGNBRK | BRKINT | PARMRK | INPCK | ISTRIP | INLCR | IGNCR | ICRNL | IXON | IXOFF | IXANY);
  line.c_oflag &= ~(unsigned)OPOST;
  line.c_lflag &= ~(unsigned)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
  line.c_cflag &= ~(unsigned)(CBAUD | (CBAUD << IBSHIFT) | CSIZE | PARENB | CSTOPB | CRTSCTS | HUPCL);
  line.c_cflag |= CS8 | CREAD | CLOCAL | speed_code(baud) | (speed_code(baud) << IBSHIFT);
  line.c_ispeed = baud;
  line.c_ospeed = baud;
  line.c_cc[VMIN] = 1;
  line.c_cc[VTIME] = 0;
  return ioctl(descriptor, TCSETS2, &line);
}

long serial_speed(int descriptor) {
  struct termios2 line;
  if (ioctl(descriptor, TCGETS2, &line) != 0) return -1;
  return (long)line.c_ispeed;
}

int serial_unsent(int descriptor) {
  int count = 0;
  return ioctl(descriptor, TIOCOUTQ, &count) == 0 ? count : -1;
}

int serial_major(int descriptor) {
  struct stat facts;
  return fstat(descriptor, &facts) == 0 ? (int)major(facts.st_rdev) : -1;
}
