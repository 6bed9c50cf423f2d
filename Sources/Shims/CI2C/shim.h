// I2C transactions through i2c-dev and libi2c. ioctl(2) is variadic, and Swift does not import it.
#pragma once
#include <errno.h>
#include <i2c/smbus.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <sys/ioctl.h>

/// Reads the functionality mask of the adapter.
static inline int outrider_i2c_functionality(int descriptor, unsigned long *mask) {
  return ioctl(descriptor, I2C_FUNCS, mask);
}

/// Sets the adapter's timeout, in steps of 10 ms.
static inline int outrider_i2c_set_timeout(int descriptor, unsigned long steps) {
  return ioctl(descriptor, I2C_TIMEOUT, steps);
}

static inline int outrider_i2c_set_retries(int descriptor, unsigned long retries) {
  return ioctl(descriptor, I2C_RETRIES, retries);
}

static inline int outrider_i2c_select(int descriptor, unsigned long address) {
  return ioctl(descriptor, I2C_SLAVE, address);
}

/// Performs one transaction: start, write, repeated start, read, stop. Either part may be empty.
static inline int outrider_i2c_combined(
    int descriptor, unsigned short address, const unsigned char *written, unsigned short written_count,
    unsigned char *read, unsigned short read_count) {
  struct i2c_msg messages[2];
  unsigned int count = 0;
  if (written_count > 0) {
    messages[count].addr = address;
    messages[count].flags = 0;
    messages[count].len = written_count;
    messages[count].buf = (unsigned char *)written;
    count++;
  }
  if (read_count > 0) {
    messages[count].addr = address;
    messages[count].flags = I2C_M_RD;
    messages[count].len = read_count;
    messages[count].buf = read;
    count++;
  }
  struct i2c_rdwr_ioctl_data set = {messages, count};
  int done = ioctl(descriptor, I2C_RDWR, &set);
  if (done >= 0 && (unsigned int)done != count) {
    errno = EIO;
    return -1;
  }
  return done;
}
