"""A day of a vehicle, by formulae: what the routes of histories answer. Times are milliseconds since 1970."""

import math

SECOND, MINUTE, HOUR = 1000, 60_000, 3_600_000
MIDNIGHT = 1772319600000  # 2026-03-01T00:00 in Berlin
NOW = MIDNIGHT + 11 * HOUR + 3 * SECOND  # 2026-03-01T10:00:03Z
DAY = 24 * HOUR
LATITUDE, LONGITUDE = 525200100, 134049500
MOTIONS = ["unknown", "stationary", "walking", "running", "cycling", "automotive"]
LEGS = [
    (7 * HOUR, 40 * MINUTE, "car", 5),
    (8 * HOUR + 10 * MINUTE, 20 * MINUTE, "walk", 2),
    (10 * HOUR + 10 * MINUTE, 49 * MINUTE, "car", 5),
]


def place(time):
    """Latitude and longitude in 1e-7 degrees: a loop through the day."""
    angle = (time - MIDNIGHT) / HOUR * 0.9
    return (
        LATITUDE + int(400000 * math.sin(angle) + 90000 * math.sin(angle * 7.3)),
        LONGITUDE + int(700000 * math.cos(angle * 0.8) + 120000 * math.cos(angle * 6.1)),
    )


def points():
    """Points of the three legs, every five seconds, with two gaps."""
    number, found = 0, []
    for start, length, _, motion in LEGS:
        for time in range(MIDNIGHT + start, MIDNIGHT + start + length, 5 * SECOND):
            number += 1
            if any(begin < time < end for begin, end in ((g["from"], g["to"]) for g in gaps())):
                continue
            latitude, longitude = place(time)
            speed = int((1450 if motion == 5 else 140) * (0.55 + 0.45 * math.sin(time / 47000)))
            found.append(
                (
                    number,
                    time,
                    latitude,
                    longitude,
                    380 + number % 40,
                    speed,
                    (number * 7) % 3600,
                    25 + number % 30,
                    motion,
                    2,
                    1 if number % 9 == 0 else 0,
                    max(20, 96 - number // 40),
                )
            )
    return found


def gaps():
    first = [MIDNIGHT + 7 * HOUR + 15 * MINUTE, MIDNIGHT + 7 * HOUR + 26 * MINUTE]
    second = [MIDNIGHT + 8 * HOUR + 30 * MINUTE, MIDNIGHT + 10 * HOUR + 10 * MINUTE]
    pause = [MIDNIGHT + 7 * HOUR + 40 * MINUTE, MIDNIGHT + 8 * HOUR + 10 * MINUTE]
    rows = [
        (*pause, 30, "asleep", "stationary: the receiver slept; motion ended it"),
        (
            *first,
            412,
            "no_reception",
            "no position: acquisition timed out after 90 s; back-off 8 min (second failure)",
        ),
        (*second, 9, "asleep", "stationary: the receiver slept; position checks every 15 min found no motion"),
    ]
    answer = []
    for begin, end, metres, reason, sentence in sorted(rows):
        (lat1, lon1), (lat2, lon2) = place(begin), place(end)
        answer.append(
            {
                "from": begin,
                "to": end,
                "metres": metres,
                "reason": reason,
                "sentence": sentence,
                "lat_from": lat1,
                "lon_from": lon1,
                "lat_to": lat2,
                "lon_to": lon2,
            }
        )
    return [private_gap(), *answer]


def private_gap():
    """A gap that begins in a privacy zone: it has no position there, and no length."""
    end = MIDNIGHT + 7 * HOUR
    latitude, longitude = place(end)
    return {
        "from": end - 20 * MINUTE,
        "to": end,
        "metres": None,
        "reason": "unknown",
        "sentence": "no reason in the log (nothing is logged in privacy zones)",
        "lat_to": latitude,
        "lon_to": longitude,
    }


def columns(rows, size=500):
    """Chunks of the route /track: identity, time and place as differences."""
    names = ["id", "t", "lat", "lon", "alt", "spd", "crs", "acc", "mot", "fix", "kept", "bat"]
    chunks = []
    for begin in range(0, len(rows), size):
        part = rows[begin : begin + size]
        chunk = {}
        for index, name in enumerate(names):
            values = [row[index] for row in part]
            if index < 5:
                values = [value - (values[at - 1] if at else 0) for at, value in enumerate(values)]
            chunk[name] = values
        chunks.append(chunk)
    return chunks


def trips():
    return [
        {
            "id": 100 + at,
            "from": MIDNIGHT + start,
            "to": MIDNIGHT + start + length,
            "mode": mode,
            "distance_m": 31200 if at != 1 else 1400,
            "open": False,
            "reason": "stationary for 5 min",
        }
        for at, (start, length, mode, _) in enumerate(LEGS)
    ]


def visits():
    latitude, longitude = place(MIDNIGHT + 9 * HOUR)
    return [
        {
            "id": 200,
            "from": MIDNIGHT + 8 * HOUR + 30 * MINUTE,
            "to": MIDNIGHT + 10 * HOUR + 8 * MINUTE,
            "lat": latitude,
            "lon": longitude,
            "open": False,
        }
    ]


def events():
    latitude, longitude = place(MIDNIGHT + 7 * HOUR + 26 * MINUTE)
    return [
        {
            "id": 12,
            "t": MIDNIGHT + 7 * HOUR + 26 * MINUTE,
            "kind": "zone_left",
            "text": "left zone home",
            "lat": latitude,
            "lon": longitude,
        },
        {
            "id": 14,
            "t": MIDNIGHT + 10 * HOUR + 30 * MINUTE,
            "kind": "harsh_braking",
            "text": "braking 3.4 m/s²",
            "lat": place(MIDNIGHT + 10 * HOUR + 30 * MINUTE)[0],
            "lon": place(MIDNIGHT + 10 * HOUR + 30 * MINUTE)[1],
        },
    ]


def track(variant="day"):
    """The answer of /track: day, empty, one, dateline, poles, long, undated."""
    rows, found_gaps, undated, following = points(), gaps(), 0, None
    if variant in ("empty", "elsewhere"):
        rows, found_gaps = [], []
    if variant == "one":
        rows, found_gaps = rows[:1], []
    if variant == "undated":
        rows, undated = rows[:200], 212
    if variant == "dateline":
        found_gaps = []
        rows = [
            (
                at + 1,
                MIDNIGHT + at * MINUTE,
                -170000000 + at * 1500,
                wrap(1799000000 + at * 20000),
                20,
                700,
                900,
                40,
                5,
                2,
                0,
                80,
            )
            for at in range(120)
        ]
    if variant == "poles":
        found_gaps = []
        rows = [
            (at + 1, MIDNIGHT + at * MINUTE, at * 7500000 - 900000000, 130000000, 20, 700, 0, 40, 5, 2, 0, 80)
            for at in range(241)
        ]
    if variant == "long":
        found_gaps, following = [], 20000
        rows = [
            (
                at + 1,
                MIDNIGHT + at * SECOND,
                LATITUDE + int(3e6 * math.sin(at / 2600)),
                LONGITUDE + int(4e6 * math.cos(at / 1900)),
                380,
                900 + at % 700,
                at % 3600,
                30,
                5,
                2,
                0,
                80,
            )
            for at in range(20000)
        ]
    is_bare = variant in ("empty", "elsewhere", "one", "dateline", "poles", "long")
    return {
        "from": iso(MIDNIGHT),
        "to": iso(NOW),
        "zone": "Europe/Berlin",
        "resolution_m": 5,
        "motions": MOTIONS,
        "fixes": ["none", "2D", "3D"],
        "reasons": ["period", "distance"],
        "points": columns(rows),
        "gaps": found_gaps,
        "visits": [] if is_bare else visits(),
        "trips": [] if is_bare else trips(),
        "events": [] if is_bare else events(),
        "undated": undated,
        "count": len(rows),
        "next": following,
    }


def wrap(longitude):
    return longitude - 3600000000 if longitude > 1800000000 else longitude


def timeline(variant="day"):
    """The answer of /timeline."""
    at = lambda hours: int(MIDNIGHT + hours * HOUR)
    begin, end = MIDNIGHT, MIDNIGHT + DAY
    if variant == "dst":
        begin, end = 1774738800000, 1774738800000 + 23 * HOUR  # 2026-03-29 in Berlin
    if variant == "none":
        return {"from": iso(begin), "to": iso(end), "zone": "Europe/Berlin", "rows": []}
    shift = begin - MIDNIGHT
    rows = {
        "receiver": [
            (0, 7, "asleep", "stationary"),
            (7, 7.25, "tracking", "moving"),
            (7.25, 7.28, "acquiring", "no reception"),
            (7.28, 7.43, "off", "back-off"),
            (7.43, 8.5, "tracking", "moving"),
            (8.5, 10.16, "asleep", "stationary"),
            (10.16, None, "tracking", "moving: accelerometer, 13.2 m/s"),
        ],
        "motion": [
            (0, 7, "stationary", ""),
            (7, 7.67, "driving", ""),
            (7.67, 8.16, "stationary", ""),
            (8.16, 8.5, "walking", ""),
            (8.5, 10.16, "stationary", ""),
            (10.16, None, "driving", ""),
        ],
        "host": [(0, None, "up", "")],
        "network": [(hour, hour + 0.05, "up", "send interval") for hour in (7.2, 7.6, 8.2, 8.6, 10.3, 10.7)],
        "power": [(0, 9, "normal", ""), (9, None, "normal", "charge 87 %")],
        "trips": [(7, 7.67, "car", ""), (8.16, 8.5, "walk", ""), (10.16, None, "car", "")],
        "gaps": [
            ((g["from"] - MIDNIGHT) / HOUR, (g["to"] - MIDNIGHT) / HOUR, g["reason"], g["sentence"]) for g in gaps()
        ],
        "clock": [(0, 7.01, "network", ""), (7.01, None, "receiver", "")],
    }
    spans = lambda row: [
        [at(a) + shift, None if b is None else at(b) + shift, state, reason] for a, b, state, reason in row
    ]
    return {
        "from": iso(begin),
        "to": iso(end),
        "zone": "Europe/Berlin",
        "rows": [{"name": name, "spans": spans(row)} for name, row in rows.items()],
    }


def days(variant="all"):
    """The answer of /days: all is twenty days up to today, dst one of 23 hours, none an empty log."""
    if variant == "none":
        return {"zone": "Europe/Berlin", "days": []}
    if variant == "dst":
        return {
            "zone": "Europe/Berlin",
            "days": [
                {
                    "day": "2026-03-29",
                    "from": 1774738800000,
                    "to": 1774738800000 + 23 * HOUR,
                    "first_id": 1,
                    "records": 900,
                    "distance_m": 12000,
                    "trips": 2,
                    "visits": 1,
                }
            ],
        }
    return {
        "zone": "Europe/Berlin",
        "days": [
            {
                "day": day_name(MIDNIGHT - back * DAY),
                "from": MIDNIGHT - back * DAY,
                "to": MIDNIGHT - (back - 1) * DAY,
                "first_id": 1000 - back,
                "records": 3120 - 100 * back,
                "distance_m": abs(84000 - 6100 * back),
                "trips": back % 4,
                "visits": back % 3,
                "charge_mAh": 210,
            }
            for back in range(19, -1, -1)
            if back != 6
        ],
    }


def day_name(time):
    return iso(time + 6 * HOUR)[:10]


def iso(time):
    from datetime import datetime, timezone

    return datetime.fromtimestamp(time / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def satellites(kind="normal"):
    """A SKY object; `kind` weak has nothing received."""
    rows = []
    for at, (system, letter_count) in enumerate([(0, 9), (2, 7), (6, 5), (3, 5), (1, 2), (5, 1), (7, 1)]):
        for number in range(letter_count):
            level = 0 if kind == "weak" else 22 + (number * 7 + at * 5) % 27
            rows.append(
                {
                    "PRN": 3 + number * 3 + at * 40,
                    "gnssid": system,
                    "svid": 3 + number * 3,
                    "az": len(rows) * 137 % 360,
                    "el": 5 + len(rows) * 53 % 80,
                    "ss": level,
                    "used": kind != "weak" and level > 27,
                }
            )
    return {
        "class": "SKY",
        "hdop": 0.8,
        "vdop": 1.1,
        "pdop": 1.4,
        "nSat": len(rows),
        "uSat": sum(row["used"] for row in rows),
        "satellites": rows,
    }
