// GPIO lines through the kernel's uAPI v2 (linux/gpio.h). libgpiod is not used, because its versions 1 and 2 have
// different interfaces.
#pragma once
#include <linux/gpio.h>
#include <string.h>
#include <sys/ioctl.h>

enum outrider_gpio_flag {
  outrider_gpio_active_low = 1,
  outrider_gpio_pull_up = 2,
  outrider_gpio_pull_down = 4,
};

/// Translates flags of this header to flags of the kernel.
static inline __u64 outrider_gpio_flags(unsigned int flags) {
  return ((flags & outrider_gpio_active_low) ? GPIO_V2_LINE_FLAG_ACTIVE_LOW : 0) |
         ((flags & outrider_gpio_pull_up) ? GPIO_V2_LINE_FLAG_BIAS_PULL_UP : 0) |
         ((flags & outrider_gpio_pull_down) ? GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN : 0);
}

/// Requests an input line with events for both edges. Returns its descriptor, or -1 with errno set.
static inline int outrider_gpio_input(
    int chip, unsigned int line, const char *consumer, unsigned int flags, unsigned int debounce_us) {
  struct gpio_v2_line_request request;
  memset(&request, 0, sizeof request);
  request.offsets[0] = line;
  request.num_lines = 1;
  strncpy(request.consumer, consumer, sizeof request.consumer - 1);
  request.config.flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING |
                         GPIO_V2_LINE_FLAG_EDGE_FALLING | outrider_gpio_flags(flags);
  if (debounce_us > 0) {
    request.config.num_attrs = 1;
    request.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE;
    request.config.attrs[0].attr.debounce_period_us = debounce_us;
    request.config.attrs[0].mask = 1;
  }
  return ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0 ? -1 : request.fd;
}

/// Requests an output line with an initial level. Returns its descriptor, or -1 with errno set.
static inline int outrider_gpio_output(
    int chip, unsigned int line, const char *consumer, unsigned int flags, int is_active) {
  struct gpio_v2_line_request request;
  memset(&request, 0, sizeof request);
  request.offsets[0] = line;
  request.num_lines = 1;
  strncpy(request.consumer, consumer, sizeof request.consumer - 1);
  request.config.flags = GPIO_V2_LINE_FLAG_OUTPUT | outrider_gpio_flags(flags);
  request.config.num_attrs = 1;
  request.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
  request.config.attrs[0].attr.values = is_active ? 1 : 0;
  request.config.attrs[0].mask = 1;
  return ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0 ? -1 : request.fd;
}

/// Reads the user of a line without requesting it: its name into `consumer` (GPIO_MAX_NAME_SIZE bytes). Returns 1 if the
/// line is in use, 0 if it is free, -1 with errno set.
static inline int outrider_gpio_consumer(int chip, unsigned int line, char *consumer) {
  struct gpio_v2_line_info info;
  memset(&info, 0, sizeof info);
  info.offset = line;
  if (ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &info) < 0) return -1;
  memcpy(consumer, info.consumer, GPIO_MAX_NAME_SIZE);
  return (info.flags & GPIO_V2_LINE_FLAG_USED) ? 1 : 0;
}

/// Reads the level of a line: 1 if active, 0 if inactive, -1 with errno set.
static inline int outrider_gpio_get(int line) {
  struct gpio_v2_line_values values = {0, 1};
  if (ioctl(line, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0) return -1;
  return (values.bits & 1) ? 1 : 0;
}

/// Sets the level of an output line. Returns 0, or -1 with errno set.
static inline int outrider_gpio_set(int line, int is_active) {
  struct gpio_v2_line_values values = {is_active ? 1 : 0, 1};
  return ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values);
}
