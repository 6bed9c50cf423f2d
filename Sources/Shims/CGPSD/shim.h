// A connection to gpsd through libgps, with its reports as flat structures.
//
// The layout of `struct gps_data_t` depends on GPSD_API_MAJOR_VERSION. Its fields are used in this header only, so that
// the compiler takes the layout from the installed header. Tested with versions 11 (Debian 12) and 14 (Debian 13).
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <gps.h>

#if GPSD_API_MAJOR_VERSION < 10
#error "libgps is too old for the field fix.status; install version 3.21 or later (Debian: libgps-dev)"
#endif

/// The numbers of the last report, in SI units and degrees. Missing values are NaN; missing times and counts are 0.
struct outrider_gpsd_report {
  int mode, status;
  int64_t seconds, nanoseconds;
  double latitude, longitude, ellipsoid_height, altitude;
  // "alt", which versions before 3.20 send instead of altMSL.
  double old_altitude;
  double speed, course, climb;
  // epx and epy, which these versions send instead of eph.
  double longitude_error, latitude_error;
  double horizontal_error, vertical_error, speed_error, course_error;
  double horizontal_dilution, vertical_dilution, position_dilution;
  double latitude_deviation, longitude_deviation, altitude_deviation;
  int satellites_used;
};

/// Connects to gpsd and requests JSON reports. Returns NULL on failure, with the error for gps_errstr in `error`.
///
/// The call blocks during name resolution and connection. The reports are requested here and not later, because writing
/// to a closed connection raises SIGPIPE, and this thread blocks that signal.
static inline void *outrider_gpsd_open(const char *host, const char *port, int *error) {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, NULL);
  struct gps_data_t *data = calloc(1, sizeof *data);
  if (data == NULL) {
    *error = ENOMEM;
    return NULL;
  }
  if (gps_open(host, port, data) != 0) {
    *error = errno;
    free(data);
    return NULL;
  }
  // Some versions of libgps do not set these flags.
  fcntl(data->gps_fd, F_SETFD, FD_CLOEXEC);
  fcntl(data->gps_fd, F_SETFL, fcntl(data->gps_fd, F_GETFL) | O_NONBLOCK);
  if (gps_stream(data, WATCH_ENABLE | WATCH_JSON, NULL) < 0) {
    *error = EPIPE;
    gps_close(data);
    free(data);
    return NULL;
  }
  return data;
}

static inline int outrider_gpsd_descriptor(const void *connection) {
  return (int)((const struct gps_data_t *)connection)->gps_fd;
}

static inline void outrider_gpsd_close(void *connection) {
  gps_close(connection);
  free(connection);
}

/// Reads one line, which ends with NUL and may be changed, into the report. GST and SKY have their time elsewhere.
static inline void outrider_gpsd_unpack(void *connection, void *line, bool is_gst, bool is_sky,
                                        struct outrider_gpsd_report *report) {
  struct gps_data_t *data = connection;
  // Some versions keep earlier values of fields that are missing in a report.
  data->fix.time = (struct timespec){0, 0};
  data->dop.hdop = data->dop.vdop = data->dop.pdop = NAN;
  data->satellites_used = data->satellites_visible = 0;
  data->devices.ndevices = 0;
  memset(report, 0, sizeof *report);
  gps_unpack(line, data);
  report->mode = data->fix.mode;
  report->status = data->fix.status;
  report->latitude = data->fix.latitude;
  report->longitude = data->fix.longitude;
  report->ellipsoid_height = data->fix.altHAE;
  report->altitude = data->fix.altMSL;
  report->old_altitude = data->fix.altitude;
  report->speed = data->fix.speed;
  report->course = data->fix.track;
  report->climb = data->fix.climb;
  report->horizontal_error = data->fix.eph;
  report->longitude_error = data->fix.epx;
  report->latitude_error = data->fix.epy;
  report->vertical_error = data->fix.epv;
  report->speed_error = data->fix.eps;
  report->course_error = data->fix.epd;
  report->horizontal_dilution = data->dop.hdop;
  report->vertical_dilution = data->dop.vdop;
  report->position_dilution = data->dop.pdop;
  report->satellites_used = data->satellites_used;
  struct timespec time = data->fix.time;
  if (is_gst) {
    // GST shares a union with other reports, so it is read only for this class.
    time = data->gst.utctime;
    report->latitude_deviation = data->gst.lat_err_deviation;
    report->longitude_deviation = data->gst.lon_err_deviation;
    report->altitude_deviation = data->gst.alt_err_deviation;
  }
  if (is_sky) time = data->skyview_time;
  report->seconds = time.tv_sec;
  report->nanoseconds = time.tv_nsec;
}

// Texts of the last report; they are valid until the next read.

/// The device of a TPV, SKY, GST or DEVICE report.
static inline const char *outrider_gpsd_device(const void *connection) {
  return ((const struct gps_data_t *)connection)->dev.path;
}

/// The release of gpsd, from a VERSION report.
static inline const char *outrider_gpsd_release(const void *connection) {
  return ((const struct gps_data_t *)connection)->version.release;
}

/// The number of devices in a DEVICES report.
static inline int outrider_gpsd_device_count(const void *connection) {
  const struct gps_data_t *data = connection;
  int most = (int)(sizeof data->devices.list / sizeof data->devices.list[0]);
  return data->devices.ndevices < 0 ? 0 : data->devices.ndevices > most ? most : data->devices.ndevices;
}

/// The index of the device of a DEVICE report.
static const int OUTRIDER_GPSD_ONLY_DEVICE = -1;

/// The device at `index` of a DEVICES report.
static inline const struct devconfig_t *outrider_gpsd_device_at(const void *connection, int index) {
  const struct gps_data_t *data = connection;
  return index == OUTRIDER_GPSD_ONLY_DEVICE ? &data->dev : &data->devices.list[index];
}

/// The path of the device.
static inline const char *outrider_gpsd_path_at(const void *connection, int index) {
  return outrider_gpsd_device_at(connection, index)->path;
}

/// The name of gpsd's driver for the device.
static inline const char *outrider_gpsd_driver_at(const void *connection, int index) {
  return outrider_gpsd_device_at(connection, index)->driver;
}

/// The name that the receiver reported; empty if gpsd does not know it.
static inline const char *outrider_gpsd_subtype_at(const void *connection, int index) {
  return outrider_gpsd_device_at(connection, index)->subtype;
}

/// True if gpsd has activated the device.
static inline bool outrider_gpsd_is_active_at(const void *connection, int index) {
  return outrider_gpsd_device_at(connection, index)->activated.tv_sec != 0;
}
