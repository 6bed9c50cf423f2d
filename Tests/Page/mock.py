#!/usr/bin/python3
"""A server with the routes of the logger and scripted states, for the page's tests and for work on the page.

Usage: Tests/Page/mock.py [--port 8099] [--state asleep]
"""

import argparse
import base64
import gzip
import json
import pathlib
import queue
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

import day
import states

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "Sources/Page"
LEAFLET = pathlib.Path("/usr/share/javascript/leaflet")
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


# What the logger answers to nobody but the operator, and what also to guests that may read positions.
OPERATOR_ONLY = {"/stream", "/settings", "/settings/schema", "/profiles", "/sends", "/test", "/doctor", "/hotspot"}
POSITIONS = {"/coordinates", "/track", "/visits", "/map"}

TILE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def is_refused(path, role):
    has_positions = path in POSITIONS or path.startswith(("/tiles/", "/export."))
    return role != "operator" and (path in OPERATOR_ONLY or role != "positions" and has_positions)


class TileServer(ThreadingHTTPServer):
    """A server of map tiles on a port of its own, which notes who asks."""

    daemon_threads = True

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            self.server.requests.append((self.path, self.headers.get("Referer"), self.headers.get("Cookie")))
            body = TILE if self.server.works else b""
            self.send_response(200 if body else 500)
            self.send_header("Content-Type", "image/png")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.requests, self.works = [], True
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Device:
    """What the server answers; the tests change it."""

    def __init__(self):
        self.streams = []
        self.requests = []
        self.reset()

    def reset(self, state="tracking", **changes):
        self.status = states.copy_of(state)
        self.role, self.needs_sign_in, self.guest = "operator", False, "off"
        self.track, self.timeline, self.sky = "day", "day", "normal"
        self.days = "all"
        self.has_leaflet = True
        self.refuses_stream = False
        self.is_down = False
        self.settings = settings()
        self.failures = {}  # path → (status, detail)
        self.patched = []
        self.tests = []
        self.test_result = (True, "token: valid for the database outrider; answer: as expected", "outrider")
        self.fixes = True
        self.trial_s = 90
        self.map = {"lookback_s": 86400, "min_path_length": 10}
        self.tiles, self.tile_origin = "all", None
        self.needs_sign_in_elsewhere = False  # what /access says to somebody who has signed in
        self.gather = 1
        self.begun = time.monotonic()
        for name, value in changes.items():
            setattr(self, name, value)
        for stream in list(self.streams):
            stream.put(None)

    def publish(self, event, data, number=None):
        for stream in list(self.streams):
            stream.put((event, data, number))


def schema():
    """Settings with sentence, kind and default, from the reference page."""
    found, key, group = [], None, "general"
    sentence = ""
    for line in (ROOT / "docs/settings.md").read_text().splitlines():
        if line.startswith("## "):
            group = line[3:]
        elif line.startswith("### "):
            key, sentence = line[4:], ""
        elif key and line.startswith("- values: "):
            found.append(
                {
                    "key": key,
                    "group": group,
                    "sentence": sentence.strip(),
                    **kind(line[10:]),
                    "applies": "at_once",
                    "remote": False,
                    "secret": key.endswith(("token", "password")),
                }
            )
        elif key and line.startswith("- default: "):
            found[-1]["default"] = line[11:]
        elif key and line.startswith("- takes effect"):
            found[-1]["applies"] = "restart" if "restart" in line else "at_once"
            found[-1]["remote"] = "server may set" in line
            key = None
        elif key:
            sentence += line + " "
    return [item for item in found if not item["key"].startswith("destinations[]")]


def kind(values):
    choices = re.findall(r'"([^"]+)"', values)
    if values == "true or false":
        return {"kind": "flag"}
    if "duration" in values:
        bounds = re.search(r"from (\S+) to (\S+)", values)
        return {
            "kind": "duration",
            "unit": "s",
            "choices": choices,
            "minimum": bounds and bounds[1],
            "maximum": bounds and bounds[2],
        }
    if values.startswith("a list"):
        return {"kind": "list"}
    if values.startswith(("{", "a group")):
        return {"kind": "object"}
    number = re.search(r"a (whole )?number(?: from (\S+) to (\S+))?", values)
    if number:
        return {
            "kind": "integer" if number[1] else "number",
            "choices": choices,
            **(
                {"minimum": float(number[2]), "maximum": float(number[3])}
                if number[2] and number[3][-1].isdigit()
                else {}
            ),
        }
    return (
        {"kind": "choice", "choices": choices} if len(choices) > 1 and "address" not in values else {"kind": "text"}
    )


def settings():
    values = {
        "device_id": "van",
        "send_interval": "5m",
        "trip_mode": "car",
        "tracking": True,
        "usage_profile": "off",
        "board": "raspberry-pi",
        "main.min_time": "2s",
        "trip.min_time": "1s",
        "main.min_distance": "off",
        "trip.min_distance": "off",
        "main.desired_accuracy": "100m",
        "trip.desired_accuracy": "10m",
        "remote.locked": ["trip"],
        "destinations": [{"name": "home", "kind": "overland", "url": "https://example.org/…", "token": "(hidden)"}],
        "zones": [{"name": "home", "latitude": 52.52, "longitude": 13.40, "radius": "150m"}],
        "privacy_zones": [],
        "wifi_zones": [],
    }
    rows = []
    for item in schema():
        if "[]" in item["key"]:
            continue  # members of lists are described, but set with their list
        value = values.get(item["key"], parsed(item))
        origin = {"send_interval": "operator", "device_id": "file", "main.min_time": "server", "board": "--set"}.get(
            item["key"], "default"
        )
        rows.append({"key": item["key"], "value": value, "origin": origin})
    return rows


def parsed(item):
    text = item.get("default", "")
    if text in ("not set", "the host name") or "none" in text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


def energy_days(device):
    """The ledger of fourteen days."""
    return [
        {
            "day": day.day_name(day.MIDNIGHT - back * day.DAY),
            "gauge_mAh": 260 + back % 5 * 12,
            "explained_mAh": 240,
            "unexplained_mAh": 20 + back % 5 * 12,
            "shares": [
                {**share, "charge_mAh": share.get("charge_mAh", 0) / 22 * (1 + back % 3 * 0.2)}
                for share in device.status["energy"]["shares"]
            ],
        }
        for back in range(13, -1, -1)
    ]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    @property
    def device(self):
        return self.server.device

    def answer(self, body, status=200, kind="application/json", headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        if "gzip" in self.headers.get("Accept-Encoding", "") and len(data) > 500:
            data, headers = gzip.compress(data), [*headers, ("Content-Encoding", "gzip")]
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        images = f"data: {self.device.tile_origin}" if self.device.tile_origin else "data:"
        self.send_header("Content-Security-Policy", POLICY.replace("data:", images))
        self.send_header("Referrer-Policy", "strict-origin-when-cross-origin" if self.device.tile_origin else "same-origin")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-store")
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def problem(self, status, detail, errors=None, headers=()):
        self.answer(
            {"title": "Problem", "status": status, "detail": detail, **({"errors": errors} if errors else {})},
            status,
            "application/problem+json",
            headers,
        )

    def do_GET(self):
        url = urlparse(self.path)
        path, query = url.path, {name: values[0] for name, values in parse_qs(url.query).items()}
        self.device.requests.append(f"{self.command} {self.path}")
        if path == "/":
            return self.file(PAGE / "index.html")
        if path.startswith("/page/"):
            return self.file(PAGE / path[6:])
        if path.startswith("/leaflet/"):
            return self.file(LEAFLET / path[9:]) if self.device.has_leaflet else self.problem(404, "no such path")
        if self.device.is_down:
            return self.close_connection_now()
        if path == "/access":
            return self.answer(self.access())
        if self.device.needs_sign_in:
            return self.problem(401, "the token is missing or wrong")
        if is_refused(path, self.device.role):
            return self.problem(401, "the token is missing or wrong")
        if path in self.device.failures:
            return self.problem(*self.device.failures[path])
        if path == "/stream":
            return self.stream(query)
        if path.startswith("/tiles/"):
            return self.tile(path[7:])
        route = getattr(self, "get_" + path[1:].replace("/", "_").replace(".", "_"), None)
        return route(query) if route else self.problem(404, "no such path")

    def close_connection_now(self):
        self.close_connection = True
        self.connection.close()

    def file(self, path):
        if (
            not path.resolve().is_relative_to(PAGE)
            and not path.resolve().is_relative_to(LEAFLET)
            or not path.is_file()
        ):
            return self.problem(404, "no such path")
        return self.answer(path.read_bytes(), kind=TYPES.get(path.suffix, "application/octet-stream"))

    def access(self):
        if self.device.needs_sign_in:
            return {"role": "none", "guest": "off", "needs_sign_in": True, "page_sign_in": True}
        return {
            "role": self.device.role,
            "guest": self.device.guest,
            "needs_sign_in": self.device.needs_sign_in_elsewhere,
            "page_sign_in": True,
            "device_id": "van",
            "listening": ["/run/outrider/api.sock", "0.0.0.0:8080"],
            "failed": [{"address": "192.168.1.20:8017", "reason": "cannot assign requested address"}],
        }

    def status(self):
        passed = time.monotonic() - self.device.begun
        hidden = {"operator": (), "positions": ("settings_trial", "ssid")}.get(
            self.device.role, ("settings_trial", "ssid", "position", "sky"))
        return {
            **{key: value for key, value in self.device.status.items() if key not in hidden},
            **({"time": day.iso(day.NOW + passed * 1000)} if "time" in self.device.status else {}),
        }

    def stream(self, query):
        if self.device.refuses_stream:
            return self.problem(503, "too many streams", headers=[("Retry-After", "15")])
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        box = queue.Queue()
        self.device.streams.append(box)
        number = 0
        try:
            self.event("status", self.status())
            for row in states.event_rows():
                self.event("event", row, row["id"])
            while True:
                try:
                    item = box.get(timeout=1)
                except queue.Empty:
                    item = ()
                if item is None:
                    break
                if item:
                    self.event(*item)
                    continue
                number += 1
                self.live(number, query)
        except OSError:
            pass
        finally:
            self.device.streams.remove(box)
            self.close_connection = True

    def live(self, number, query):
        report = states.fix(number, self.device.status)
        tracker = self.device.status.get("tracker", {}).get("state", "tracking")
        if (
            report
            and self.device.fixes
            and tracker in ("tracking", "settling", "cyclic")
            and self.device.role != "status"
        ):
            if number % self.device.gather == 0:
                self.event(
                    "fix", [states.fix(number - back, self.device.status) for back in range(self.device.gather)][::-1]
                )
        if "sky" in query and self.device.sky:
            self.event("sky", day.satellites(self.device.sky))
        if "raw" in query:
            self.event(
                "raw",
                {
                    "lines": [
                        f"$GNRMC,1000{number % 60:02d}.00,A,5231.2007,N,01324.2972,E,28.1,213.0,010326,,,A*7A",
                        f"$GNGGA,1000{number % 60:02d}.00,5231.2007,N,01324.2972,E,1,12,0.8,38.2,M,45.1,M,,*4D",
                    ],
                    "more": number % 3,
                },
            )
        self.wfile.flush()

    def event(self, name, data, number=None):
        head = f"id: {number}\n" if number else ""
        self.wfile.write(f"{head}event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode())
        self.wfile.flush()

    def get_status(self, _):
        self.answer(self.status())

    def get_settings(self, _):
        self.answer({"directory": "/var/lib/outrider", "is_durable": True, "settings": self.device.settings})

    def get_settings_schema(self, _):
        self.answer({"settings": schema()})

    def get_profiles(self, _):
        saving = {"main.tracking_mode": "both", "main.min_time": "2s", "main.resume_with_geofence": "500m"}
        self.answer(
            {
                "current": "off",
                "profiles": [
                    {"name": "off", "changes": {}, "receiver_mAh_day": 672.0, "missing": []},
                    {
                        "name": "high-resolution",
                        "changes": {"main.tracking_mode": "standard"},
                        "receiver_mAh_day": 672.0,
                        "total_mAh_day": 4272.4,
                        "missing": [],
                    },
                    {"name": "battery-saving", "changes": saving, "receiver_mAh_day": 7.8, "missing": []},
                    {"name": "significant-only", "changes": {}, "missing": ["energy.receiver_sleeping"]},
                ],
                "last_day": {"day": "2026-02-28", "receiver_mAh": 640.5, "total_mAh": 4100.0},
            }
        )

    def get_track(self, query):
        if self.device.track == "elsewhere" and int(query.get("to", 0)) <= day.MIDNIGHT:
            return self.answer(day.track("day"))
        if "after" in query:
            return self.answer({**day.track("day"), "next": None})
        self.answer(day.track(self.device.track))

    def get_map(self, _):
        self.answer(self.device.map)

    def tile(self, path):
        """A red image, no image, or a fault, as the test says."""
        if self.device.tiles == "fail":
            self.device.map["problem"] = "map.tiles: /maps/city.mbtiles: the file is damaged; copy it again"
            return self.problem(503, self.device.map["problem"])
        zoom, column, row = (int(part) for part in path.split("/"))
        if self.device.tiles == "missing" and (column + row) % 2:
            return self.empty()
        self.answer(TILE, kind="image/png", headers=[("Cache-Control", "private, max-age=604800")])

    def get_days(self, _):
        self.answer(day.days(self.device.days))

    def get_timeline(self, query):
        self.answer(
            {
                **day.timeline(self.device.timeline),
                **{name: day.iso(int(query[name])) for name in ("from", "to") if query.get(name, "").isdigit()},
            }
        )

    def get_why(self, _):
        self.answer({"gaps": day.gaps()})

    def get_visits(self, _):
        self.answer({"visits": day.visits()})

    def get_trips_past(self, _):
        self.answer({"trips": day.trips()})

    def get_trips(self, _):
        trip = self.device.status.get("trip")
        self.answer({"running": True, **trip} if trip else {"running": False})

    def get_events(self, query):
        self.answer({"events": [row for row in states.event_rows() if row["id"] > int(query.get("after", 0))]})

    def get_export_gpx(self, _):
        self.answer(b"<gpx/>", kind="application/gpx+xml", headers=[("Content-Disposition", "attachment")])

    def get_energy(self, query):
        if query.get("by") == "day":
            return self.answer({"days": energy_days(self.device)})
        self.answer(self.device.status["energy"])

    def get_sends(self, query):
        self.answer(
            {
                "sends": [
                    {
                        "destination": "home",
                        "time": day.iso(day.NOW - 41000 - at * 300000),
                        "records": 100 - at,
                        "bytes": 23000,
                        "status": code,
                        "answer": text,
                        "duration_s": 0.31,
                        "consequence": result,
                    }
                    for at, (code, text, result) in enumerate(
                        [
                            (200, '{"result":"ok"}', "accepted"),
                            (502, "Bad Gateway", "waiting until 10:05"),
                            (401, states.HOSTILE, "token rejected"),
                            (200, "<html>Welcome to Hotel WiFi", "captive portal"),
                            (422, "latitude is invalid", "1 record set aside"),
                        ]
                    )
                ]
            }
        )

    def get_test(self, _):
        self.answer({"results": self.device.tests})

    def get_doctor(self, _):
        self.answer(
            {
                "checks": [
                    {"id": "running", "group": "Logger", "result": "ok", "evidence": "process 812"},
                    {"id": "tls", "group": "Network", "result": "skipped", "evidence": "run outrider doctor"},
                    {"id": "gauge", "group": "Buses", "result": "skipped", "evidence": "no gauge is configured"},
                    {
                        "id": "volatile",
                        "group": "Storage",
                        "result": "warning",
                        "evidence": "the log is on tmpfs",
                        "meaning": "A restart loses the log.",
                        "remedies": ["outrider set storage.directory=/var/lib/outrider", "mount"],
                    },
                    {
                        "id": "under-voltage",
                        "group": "Power",
                        "result": "error",
                        "evidence": "under-voltage occurred",
                        "meaning": "The host may restart.",
                        "remedies": ["use a stronger supply"],
                    },
                ],
                "ok": 1,
                "warnings": 1,
                "errors": 1,
                "skipped": 2,
            }
        )

    def change(self):
        self.device.requests.append(f"{self.command} {self.path}")
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        url = urlparse(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if self.headers.get("Outrider") != "1" or length and self.headers.get("Content-Type") != "application/json":
            return self.problem(403, "the header Outrider: 1 is missing")
        data = json.loads(body) if body else None
        if url.path == "/login":
            if data.get("token") != "correct horse battery" and data.get("code") != "once":
                return self.problem(401, "the token is wrong")
            self.device.needs_sign_in = False
            self.device.role = "operator"
            return self.empty([("Set-Cookie", "outrider=v1.test; HttpOnly; SameSite=Lax; Path=/")])
        if self.device.role != "operator":
            return self.problem(401, "the token is missing or wrong")
        if url.path in self.device.failures:
            return self.problem(*self.device.failures[url.path])
        return self.changed(url.path, data, query)

    def changed(self, path, data, query):
        device = self.device
        if path == "/settings":
            if "destinations" in data and "queue" not in query and device.failures.get("conflict"):
                return self.problem(409, "the URL of home changes; add ?queue=keep or ?queue=drop")
            if data.get("main.min_time") == "-1s":
                return self.problem(
                    422,
                    "nothing was changed: main.min_time: expected a duration from 0s to 1d",
                    ["main.min_time: expected a duration from 0s to 1d"],
                )
            hidden = self.hidden_problem(data.get("destinations") or [])
            if hidden:
                return self.problem(422, f"nothing was changed: {hidden}", [hidden])
            device.patched.append(data)
            for row in device.settings:
                if row["key"] in data:
                    row.update(
                        value=data[row["key"]], origin="operator" if data[row["key"]] is not None else "default"
                    )
            if "tracking" in data:
                device.status["tracking"] = data["tracking"]
                device.publish("status", self.status())
            answer = {"directory": "/var/lib/outrider", "is_durable": True, "settings": device.settings}
            keys = sorted(key for key in data if key.startswith(("api.", "page.")))
            if keys and "trial" in query:
                answer["trial"] = {"id": "t1", "keys": keys, "goes_back_in_s": device.trial_s}
                device.status["settings_trial"] = {**answer["trial"], "listen": data.get("api.listen")}
                device.publish("status", self.status())
            return self.answer(answer)
        if path == "/settings/setup":
            if not data["url"].startswith("overland://setup"):
                return self.problem(422, "nothing was changed: expected a setup URL, as in overland://setup?url=…")
            if "apply" not in query:
                return self.answer({"set": ["url: https://new.example/…, as destination home", "token: (hidden)"],
                                    "cleared": ["device_id: the name is empty"]})
            if "queue" not in query:
                return self.problem(409, "nothing was changed: the url of home changes")
            device.patched.append({**data, **query})
            return self.answer({"directory": "/var/lib/outrider", "is_durable": True, "settings": device.settings})
        if path == "/settings/confirm":
            device.patched.append(data)
            if device.status.pop("settings_trial", {}).get("id") != data.get("id"):
                return self.problem(409, "no change is on trial; it was kept or undone before")
            device.publish("status", self.status())
            return self.answer({"directory": "/var/lib/outrider", "is_durable": True, "settings": device.settings})
        if path == "/send":
            return self.answer({"destinations": 1, "position_awaited": True})
        if path == "/drop":
            device.publish("queue", {**device.status["destinations"][0], "queued": 0})
            return self.answer({"destinations": 1})
        if path == "/trips":
            trip = device.status.get("trip") or {
                "mode": data.get("mode", "car"),
                "manual": True,
                "start": day.iso(day.NOW),
                "duration_s": 0,
                "distance_m": 0,
            }
            if data["action"] == "stop":
                device.status.pop("trip", None)
                trip["duration_s"] = trip["duration_s"] or 95
                device.ended = {"from": day.NOW, "duration_s": trip["duration_s"]}
                device.publish("trip", {"running": False})
                return self.answer({"running": False, "ended": trip})
            device.status["trip"] = {**trip, "mode": data.get("mode", trip["mode"])}
            device.publish("trip", {"running": True, **device.status["trip"]})
            return self.answer({"running": True, **device.status["trip"]})
        if path == "/satellites":
            return self.answer({"asked": True})
        if path == "/notify/test":
            return self.answer({"hooks": 2})
        if path == "/test":
            number = len(device.tests) + 1
            ok, sentence, server = device.test_result
            result = {"id": number, "destination": query["destination"], "time": day.iso(day.NOW), "ok": ok}
            device.tests.insert(0, {**result, "sentence": sentence, **({"server": server} if server else {})})
            return self.answer({"test": number}, 202)
        if path == "/logout":
            device.needs_sign_in = True
            return self.empty()
        return self.problem(404, "no such path")

    def hidden_problem(self, destinations):
        """A hidden value stands for the stored one of the destination of this name."""
        row = next(row for row in self.device.settings if row["key"] == "destinations")
        known = {item["name"]: item for item in row["value"]}
        for at, item in enumerate(destinations):
            for key, value in item.items():
                if "(hidden)" in str(value) and key not in known.get(item["name"], {}):
                    return f"destinations[{at}].{key}: missing; a hidden value stands for the stored one"
        return None

    def empty(self, headers=()):
        self.send_response(204)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()

    do_POST = do_PATCH = change
    do_HEAD = do_GET


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # browsers close connections whenever they like


def serve(port=0):
    """Starts the server on a thread; returns it with its device."""
    server = Server(("127.0.0.1", port), Handler)
    server.device = Device()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8099)
    parser.add_argument("--state", default="tracking", choices=sorted(states.statuses()))
    options = parser.parse_args()
    running = serve(options.port)
    running.device.reset(options.state)
    print(f"http://127.0.0.1:{running.server_port}/")
    threading.Event().wait()
