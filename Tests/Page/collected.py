"""The page of a real `outrider collect`: devices with hostile names, lookback, gaps, sign-in."""

import contextlib
import json
import re
import subprocess
import tempfile
import time
import urllib.request

from browser import expect

TOKEN = "a token of the household"
HOSTILE = "<img src=x onerror=alert(1)>\u202enav"
HOUR = 3600


def check(browser, program):
    with collector(program) as address:
        now = int(time.time())
        van = [
            point(now - 2 * HOUR + 10 * n + (600 if n > 60 else 0), 52.5 + n / 5000, 13.4, "van") for n in range(120)
        ]
        boat = [
            point(now - 40 * HOUR + 10 * n, -17.5 + n % 2 / 500, (179.99 + n / 5000 + 180) % 360 - 180, HOSTILE)
            for n in range(100)
        ]
        short = [point(now - 600 + n, 52.6, 13.4, "van") for n in range(3)]
        for batch in (boat, van + short):
            post(address, {"locations": batch})
        browser.driver.get("about:blank")
        for log in ("browser", "performance"):
            browser.driver.get_log(log)
        browser.base = address
        browser.open("#/now", "A token protects this collector")
        browser.check_layout("collector, sign-in")
        browser.fill("#token", "wrong")
        browser.click("button", "Sign in")
        browser.wait("The token is wrong")
        browser.fill("#token", TOKEN)
        browser.click("button", "Sign in")
        browser.wait(["Outrider collector", "History lookback", "2 gaps"])
        browser.fill(".controls label:nth-child(2) select", "6h")
        browser.wait("123 points")
        expect(not browser.find("nav"), "the collector offers screens that it does not have")
        browser.check_layout("collector")
        browser.check_accessibility("collector")
        browser.shot("collector")

        # Paths of 61, 59 and 3 points: 1.3 km, 1.3 km and nothing.
        browser.click("summary", "Options")
        for unit, least, length in [
            ("metres", 4, "2.6 km"),
            ("metres", 1310, "1.3 km"),
            ("points", 60, "1.3 km"),
            ("points", 10, "2.6 km"),
        ]:
            browser.fill("details select", unit)
            browser.fill("details input[type=number]", str(least))
            browser.wait(f"123 points, {length}")
        expect(not browser.find("details a[download]"), "the collector offers an export")

        # The other device has its positions before the lookback, across the date line.
        browser.fill(".controls label:nth-child(1) select", f"={HOSTILE}")
        browser.wait(["No positions in this period", "Show "])
        browser.fill(".controls label:nth-child(2) select", "7d")
        browser.wait("100 points")
        length = float(re.search(r"100 points, ([\d.]+) km", browser.text())[1])
        expect(length < 100, f"the track crosses the date line the long way: {length} km")
        browser.shot("collector-other-device")
        for lookback in ("1h", "6h", "today", "yesterday", "custom"):
            browser.fill(".controls label:nth-child(2) select", lookback)
            browser.wait("History lookback")
        browser.fill(".controls label:nth-child(1) select", "=van")
        browser.fill(".controls label:nth-child(2) select", "6h")
        browser.wait("123 points")
        browser.run("location.hash = '#/more/settings'")
        browser.wait("123 points")
        for size in [(360, 640, 1), (1920, 1080, 1)]:
            browser.size(*size)
            browser.check_layout(f"collector {size}")
        browser.check_messages("collector", allowed=("401",))
    with collector(program) as address:
        # The cookie of the browser holds for the same token.
        browser.base = address
        browser.open("#/map", "No position has arrived yet")


def point(second, latitude, longitude, device):
    return {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
        "properties": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second)),
            "device_id": device,
            "speed": 12.5,
            "altitude": 38,
            "motion": ["driving"],
            "horizontal_accuracy": 3,
        },
    }


def post(address, body):
    request = urllib.request.Request(
        f"{address}api/input", json.dumps(body).encode(), {"Authorization": f"Bearer {TOKEN}"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        expect(json.load(answer)["result"] == "ok", "the collector refuses a batch")


@contextlib.contextmanager
def collector(program):
    with tempfile.TemporaryDirectory() as directory:
        words = [program, "collect", "--listen", "127.0.0.1:0", "--data", f"{directory}/data", "--token", TOKEN]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        try:
            match = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            expect(match, "the collector prints no address")
            yield match[0] + "/"
        finally:
            process.terminate()
            process.wait()
