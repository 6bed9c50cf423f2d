// libmosquitto, the client library of Eclipse Mosquitto.
#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>

/// Initializes the library. Not thread-safe: call it before other threads use the library (mosquitto_lib_init(3)).
static inline int outrider_mosquitto_start(void) { return mosquitto_lib_init(); }
