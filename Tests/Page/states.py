"""Scripted states: the status of a device for every state that the page must draw."""

import copy
import math

import day

HOSTILE = '<img src=x onerror="document.title=1">'


def base():
    """A device that tracks, with everything known."""
    return {
        "version": "0.3.0",
        "device_id": "van",
        "running": True,
        "tracking": True,
        "uptime_s": 86400.5,
        "boot": "b1",
        "time": day.iso(day.NOW),
        "zone": {"name": "Europe/Berlin", "offset_s": 3600},
        "receiver": {
            "port": "/dev/ttyAMA0",
            "is_open": True,
            "speed_baud": 38400,
            "state": "running",
            "family": "ublox-valset",
            "module": "NEO-M9N",
            "firmware": "SPG 4.04",
            "valid_frames": 86400,
            "checksum_errors": 2,
        },
        "tracker": {
            "state": "tracking",
            "since_s": 720,
            "reason": "moving: accelerometer, 13.2 m/s",
            "signal_dBHz": 44,
            "profile": "highway",
            "profile_reason": "speed above 80 km/h",
            "policy": "continuous",
        },
        "reception": {
            "fix": "3D",
            "epoch_age_s": 0.4,
            "satellites_used": 12,
            "satellites_received": 19,
            "strongest_dBHz": 47,
        },
        "sky": {"used": 12, "seen": 19, "hdop": 0.8, "strongest_dBHz": 47, "age_s": 4},
        "position": {
            "time": day.iso(day.NOW - 1000),
            "latitude": 52.5200123,
            "longitude": 13.4049541,
            "altitude_m": 38.2,
            "horizontal_accuracy_m": 3.1,
            "vertical_accuracy_m": 5,
            "speed_mps": 14.5,
            "course_deg": 213,
            "satellites": 12,
            "fix": "3D",
            "age_s": 1,
        },
        "motion": {
            "moving": True,
            "states": ["driving"],
            "state": "driving",
            "confidence": "high",
            "confidence_value": 0.97,
            "since_s": 720,
            "steps": 0,
            "source": "accelerometer",
        },
        "trip": {
            "mode": "car",
            "manual": True,
            "start": day.iso(day.NOW - 2530000),
            "duration_s": 2530,
            "distance_m": 31200,
        },
        "today": {
            "day": "2026-03-01",
            "distance_m": 84000,
            "records": 3120,
            "trips": 3,
            "visits": 2,
            "receiver_on_s": 9200,
            "charge_mAh": 212,
            "sends": 41,
            "bytes_sent": 812000,
        },
        "battery": {
            "state": "unplugged",
            "percent": 87,
            "voltage_V": 4.05,
            "current_mA": -212,
            "rate_percent_h": -0.4,
            "age_s": 40,
            "gauge": {"name": "max17048", "path": "/dev/i2c-1", "address": "0x36", "is_lost": False},
        },
        "power": {
            "level": "normal",
            "reason": "charge 87 %, limit 15 %",
            "draws_mAh_day": 260,
            "days_left": {"fewest": 24, "likeliest": 31.6, "most": 40, "most_if_sampled_least": 80},
        },
        "energy": energy(),
        "clock": {"quality": "receiver"},
        "epochs": 5120,
        "kept": 3120,
        "rejected": {"min_time": 1980, "accuracy": 20},
        "rejected_last": {"min_time": "0.4 s", "accuracy": "84 m"},
        "records": {"location": 3120, "event": 40},
        "log": {
            "directory": "/var/lib/outrider",
            "last_id": 512400,
            "waiting": 3,
            "bytes": 91000000,
            "limit_bytes": 512000000,
            "count": 514381,
            "first_time": "2025-11-02T08:00:00Z",
            "last_flush_ms": 12,
            "slowest_flush_ms": 210,
            "undated": 0,
            "missing": 0,
            "loss_bound_s": 7,
            "medium": "ext4",
        },
        "destinations": [
            {
                "name": "home",
                "kind": "overland",
                "server": "Dawarich",
                "delivered": 5000,
                "acknowledged_id": 512388,
                "queued": 12,
                "last_answer": "accepted",
                "last_answer_age_s": 41,
                "last_success_age_s": 41,
                "last_sent_age_s": 41,
                "last_attempt_age_s": 41,
                "last_answer_detail": {"status": 200, "text": '{"result":"ok"}', "duration_s": 0.3},
                "next_in_s": 240,
                "next_send_in_s": 240,
                "waiting_for": "interval",
            }
        ],
        "storage": {
            "disk": "mmcblk0",
            "written_bytes_day": {"log": 21000000, "files": 0, "other": 400000},
            "own_percent": 38,
            "medium_bytes_day": 56000000,
            "used_percent": 4,
            "used_by": "medium",
        },
        "network": {"state": "up", "sessions": 41, "failures": 1},
        "host": {"state": "up", "reason": "a trip is running", "sleeps": 3, "slept_s": 32000, "failures": 0},
        "process": {
            "cpu_s": 41,
            "wakeups": 3200,
            "anonymous_bytes": 3900000,
            "resident_bytes": 11200000,
            "threads": 3,
            "bytes_written": 8100000,
        },
    }


def energy():
    return {
        "since": "2026-02-01T00:00:00Z",
        "grain": "local day",
        "logged_s": 2419200,
        "supply_V": 3.7,
        "total_mAh": 5200,
        "missing": [],
        "gauge_mAh": 5600,
        "explained_mAh": 5200,
        "unexplained_mAh": 400,
        "shares": [
            {"name": "receiver_searching", "time_s": 9000, "charge_mAh": 300},
            {"name": "receiver_tracking", "time_s": 300000, "charge_mAh": 2100},
            {"name": "accelerometer", "time_s": 2419200, "charge_mAh": 100},
            {"name": "host_base", "time_s": 2419200, "charge_mAh": 1900},
            {"name": "radio_sending", "time_s": 12000, "charge_mAh": 800},
        ],
    }


def changed(**parts):
    """The base with parts replaced: a dictionary is merged, anything else replaces, None removes."""
    status = base()
    for name, value in parts.items():
        if value is None:
            status.pop(name, None)
        elif isinstance(value, dict) and isinstance(status.get(name), dict):
            status[name] = {key: item for key, item in {**status[name], **value}.items() if item is not None}
        else:
            status[name] = value
    return status


def destination(**parts):
    return [{**base()["destinations"][0], **parts}]


def statuses():
    """Name of the state, status, and the texts by which the Now screen shows it."""
    still = {"moving": False, "states": ["stationary"], "state": "stationary"}
    return {
        "tracking": (
            base(),
            [
                "Tracking",
                "52",
                "km/h",
                "driving 97 %",
                "12 of 19 satellites",
                "±3.1 m",
                "52.52001, 13.40495",
                "A power cut now loses at most 7 s: 3 records",
            ],
        ),
        "no_receiver": (
            changed(
                receiver={
                    "is_open": False,
                    "state": "finding",
                    "trouble": "/dev/ttyAMA0: no such device; check receiver.port and the overlay uart0",
                },
                tracker={"state": "off"},
                reception=None,
                position=None,
            ),
            ["No receiver", "check receiver.port", "No position yet"],
        ),
        "no_supply": (
            changed(tracker={"state": "no_supply", "reason": "the supply line is off"}),
            ["Asleep, supply off", "the supply line is off", "Waits for motion"],
        ),
        "acquiring": (
            changed(
                tracker={
                    "state": "acquiring",
                    "since_s": 42,
                    "reason": "program start",
                    "acquisition_ends_in_s": 48,
                    "signal_dBHz": 31,
                },
                reception={"fix": "none"},
                sky={"used": 0, "seen": 4},
            ),
            ["Acquiring", "4 satellites received", "strongest 31 dB-Hz", "times out in 4", "Search so far"],
        ),
        "acquiring_nothing": (
            changed(
                tracker={
                    "state": "acquiring",
                    "since_s": 42,
                    "reason": "program start",
                    "acquisition_ends_in_s": 48,
                    "signal_dBHz": None,
                },
                reception=None,
                sky={"used": 0, "seen": 0, "strongest_dBHz": None},
                position=None,
            ),
            ["no satellite received yet", "No position yet"],
        ),
        "settling": (
            changed(
                tracker={
                    "state": "settling",
                    "since_s": 3,
                    "reason": "first fix after 23 s; waits for the desired accuracy",
                }
            ),
            ["First fix", "first fix after 23 s"],
        ),
        "cyclic": (
            changed(tracker={"state": "cyclic", "reason": "walking: a fix every 5 s is enough", "policy": "cyclic"}),
            ["Cyclic tracking", "a fix every 5 s"],
        ),
        "asleep": (
            changed(
                tracker={
                    "state": "asleep",
                    "since_s": 3000,
                    "reason": "stationary since 10:10, no motion",
                    "next_check_in_s": 247,
                    "next_check_reason": "15 min after the last one",
                },
                motion=still,
                position={"age_s": 3000, "speed_mps": 0},
                trip=None,
            ),
            [
                "Asleep",
                "stationary since 10:10",
                "to the next position check",
                "15 min after the last one",
                "Last position",
                "50 min",
            ],
        ),
        "back_off": (
            changed(
                tracker={
                    "state": "off",
                    "since_s": 80,
                    "reason": "no reception: back-off 8 min (second failure)",
                    "next_check_in_s": 400,
                    "next_check_reason": "back-off",
                },
                reception={"fix": "none"},
                position={"age_s": 700},
            ),
            ["Receiver off", "back-off 8 min", "to the next position check"],
        ),
        "off": (
            changed(tracking=False, tracker={"state": "off"}, trip=None),
            ["Tracking is off", "Tracking disabled", "Nothing is recorded or sent"],
        ),
        "private": (
            changed(position={"private": True}, sky=None),
            ["In a privacy zone", "Nothing is recorded or shared here"],
        ),
        "no_clock": (
            changed(clock={"quality": "none"}, log={"undated": 212}, time=None, today=None),
            ["The date is unknown", "212 records wait for a date"],
        ),
        "storage_failing": (
            changed(log={"trouble": "/var/lib/outrider: Input/output error; check the card with dmesg"}),
            ["The log cannot be written", "check the card"],
        ),
        "in_memory": (changed(log={"medium": "tmpfs"}), ["The log is in memory", "loses all records"]),
        "full": (changed(log={"bytes": 510000000}), ["The log is nearly full", "510 MB of 512 MB"]),
        "delivery_failing": (
            changed(
                destinations=destination(
                    trouble="401: invalid token; correct destinations[].token", waiting_for="backoff"
                )
            ),
            ["Delivery fails: 401: invalid token", "retry after a failure"],
        ),
        "long_queue": (
            changed(destinations=destination(queued=120000, records_per_s=85.5)),
            ["120,000 records are queued", "85.5 records/s", "23 min"],
        ),
        "low": (
            changed(power={"level": "low", "reason": "charge 12 %, limit 15 %"}, battery={"percent": 12}),
            ["Battery low", "charge 12 %"],
        ),
        "critical": (
            changed(power={"level": "critical", "reason": "charge 4 %, limit 6 %"}, battery={"percent": 4}),
            ["Battery critical", "charge 4 %"],
        ),
        "no_destination": (changed(destinations=[]), ["Recorded, not sent", "Add a destination"]),
        "trial": (
            changed(
                remote={
                    "keys": [],
                    "on_trial": [{"key": "main.min_time", "destination": "home", "goes_back_in_s": 10800}],
                }
            ),
            ["main.min_time is on trial by home", "It reverts in 3 h", "Keep", "Revert"],
        ),
        "no_zone_name": (changed(zone={"name": None, "offset_s": -12600}), ["Tracking", "since 05:47"]),
        "hostile": (
            changed(
                device_id=HOSTILE,
                destinations=destination(
                    name="Zieladresse äöü 12345",
                    server=HOSTILE,
                    trouble=HOSTILE,
                    last_answer_detail={"status": 500, "text": HOSTILE, "duration_s": 1},
                ),
                tracker={"reason": f"network شبكة المنزل {HOSTILE}"},
            ),
            ["<img src=x", "شبكة المنزل"],
        ),
    }


def fix(number, status):
    """A TPV object of the stream."""
    spot = status.get("position") or {}
    if spot.get("private") or "latitude" not in spot:
        return None
    return {
        "class": "TPV",
        "mode": 3,
        "time": day.iso(day.NOW + number * 1000),
        "lat": spot["latitude"],
        "lon": spot["longitude"],
        "altMSL": 38.2,
        "speed": round(14.5 - 2.2 * math.sin(number / 7) ** 2 - 0.4 * math.sin(number / 1.7) ** 2, 2),
        "track": 213,
        "eph": 3.1,
        "kept": ["period"],
    }


def event_rows():
    groups = {
        "started": "settings", "receiver_found": "receiver", "first_fix": "receiver", "motion_changed": "motion",
        "zone_left": "zones", "delivery_failing": "delivery", "delivery_recovered": "delivery",
        "power_level": "power", "trip_started": "trips", "clock_set": "clock",
        "configuration_changed": "settings", "storage_slow": "storage",
    }
    kinds = [
        ("started", "Outrider 0.3.0; the previous run ended in an orderly way"),
        ("receiver_found", "/dev/ttyAMA0: valid messages at 38400 baud"),
        ("first_fix", "first fix 23 s after the start of the program"),
        ("motion_changed", "driving (high)"),
        ("zone_left", "left zone home"),
        ("delivery_failing", "home: 502 Bad Gateway"),
        ("delivery_recovered", "home: after 3 failures"),
        ("power_level", "normal: charge 87 %"),
        ("trip_started", "car, by hand"),
        ("clock_set", "2026-03-01T06:00:20Z from the receiver"),
        ("configuration_changed", "main.min_time"),
        ("storage_slow", "a commit took 2.1 s"),
    ]
    return [
        {
            "id": 512300 + at,
            "kind": kind,
            "group": groups[kind],
            "detail": text,
            "time": day.iso(day.NOW - (len(kinds) - at) * 900000),
            "fields": {"duration_s": 23} if kind == "first_fix" else {},
        }
        for at, (kind, text) in enumerate(kinds)
    ]


def copy_of(name):
    return copy.deepcopy(statuses()[name][0])
