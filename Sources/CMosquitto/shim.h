// libmosquitto, the client of Eclipse Mosquitto.
#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>

// mosquitto_lib_init(3) is not thread-safe.
static inline int outrider_mosquitto_start(void) { return mosquitto_lib_init(); }
