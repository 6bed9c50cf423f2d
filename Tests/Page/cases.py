"""The promises of the page, one function each. A function takes the browser and the server."""

import gzip
import json
import re
import time

import day
import mock
import states
from browser import Failure, expect

SIZES = [(360, 640, 1), (390, 844, 3), (768, 1024, 1), (1280, 800, 1), (1920, 1080, 1)]
SCREENS = {
    "#/now": "Destinations",
    "#/map": "1,177 points",
    "#/time": "acquisition timed out after 90 s",
    "#/sky": "Sky plot",
    "#/more": "Settings",
    "#/more/receiver": "$GNRMC",
    "#/more/energy": "Until the battery is empty",
    "#/more/sends": "captive portal",
    "#/more/settings": "default",
    "#/more/destinations": "Add a destination",
    "#/more/trips": "Walk, 1.4 km",
    "#/more/events": "delivery failing",
    "#/more/device": "Cost of watching",
    "#/more/display": "Theme",
}
FIRST_LOAD = 48 * 1024  # bytes, compressed: everything that the first visit of Now fetches
ALL_SCREENS = 100 * 1024  # bytes, compressed: every file; the other screens are loaded when they are first shown
CASES = []


def case(function):
    CASES.append(function)
    return function


@case
def files_are_small_and_readable(_browser, _server):
    total = 0
    for path in sorted(mock.PAGE.iterdir()):
        text = path.read_text()
        # The logger never loads the pages of a fleet.
        total += len(gzip.compress(text.encode())) if "fleet" not in path.name else 0
        lines = text.splitlines()
        expect(path.suffix != ".js" or len(lines) <= 300, f"{path.name}: {len(lines)} lines")
        for number, line in enumerate(lines, 1):
            expect(len(line) <= 120, f"{path.name}:{number}: {len(line)} columns")
            for address in re.findall(r"https?://[^\s\"'`)<]+", line):
                expect(address.startswith("http://www.w3.org/"), f"{path.name}:{number}: {address}")
        expect(
            not re.search(r"\.(innerHTML|outerHTML|insertAdjacentHTML)\b|document\.write|\beval\(", text),
            f"{path.name}: writes markup",
        )
        expect(not re.search(r"(src|href)=\"/", text), f"{path.name}: absolute path")
    expect(total <= ALL_SCREENS, f"{total} bytes compressed, at most {ALL_SCREENS}")
    first = sum(len(gzip.compress((mock.PAGE / name).read_bytes())) for name in first_files())
    expect(first <= FIRST_LOAD, f"the first visit loads {first} bytes compressed, at most {FIRST_LOAD}")
    print(f"       first visit {first / 1024:.1f} KiB, all screens {total / 1024:.1f} KiB")


def first_files():
    """The files that a visit of Now loads: the page, and every module that main.js and now.js import."""
    found, waiting = {"index.html", "page.css", "icon.svg"}, ["main.js", "now.js", "dialog.js"]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += re.findall(r'^import .*"\./([\w-]+\.js)";$', (mock.PAGE / name).read_text(), re.M)
    return found


@case
def now_shows_every_state(browser, server):
    for name, (_, texts) in states.statuses().items():
        server.device.reset(name)
        browser.open("#/now", texts)
        browser.check_layout(f"now {name}")
        browser.shot(f"now-{name}")
        browser.check_messages(f"now {name}")


@case
def hostile_names_stay_text(browser, server):
    for route in ("#/now", "#/more/sends", "#/more/device"):
        server.device.reset("hostile")
        browser.open(route, "<img src=x")
        expect(browser.run("return document.querySelectorAll('img').length") == 0, f"{route}: an image was created")
        expect(browser.run("return document.title") != "1", f"{route}: a script ran")
        browser.check_messages(route)


@case
def every_screen_fits_every_size_in_both_themes(browser, server):
    server.device.reset()
    for route, text in SCREENS.items():
        for theme in ("light", "dark"):
            browser.media(theme)
            browser.size(*SIZES[1])
            browser.open(route, text)
            browser.check_accessibility(f"{route} {theme}")
            for size in SIZES:
                browser.size(*size)
                time.sleep(0.12)
                browser.check_layout(f"{route} {theme} {size[0]}×{size[1]}")
                browser.shot(f"{route[2:].replace('/', '-')}-{theme}-{size[0]}")
            browser.check_messages(f"{route} {theme}")
    browser.media()


@case
def twice_as_large_text_fits(browser, server):
    server.device.reset()
    for route, text in SCREENS.items():
        browser.size(640, 400, 2)
        browser.open(route, text)
        browser.check_layout(f"{route} at 200 % of 1280")
        browser.size(390, 844)
        browser.run("document.documentElement.style.fontSize = '200%'")
        time.sleep(0.1)
        wide = browser.run("return document.documentElement.scrollWidth")
        expect(wide <= 390, f"{route}: {wide} wide with text of 200 %")
        browser.shot(f"large-{route[2:].replace('/', '-')}")
    browser.size(*SIZES[1])


@case
def forced_colours_and_reduced_motion_work(browser, server):
    server.device.reset()
    browser.media("light", forced_colors="active", prefers_reduced_motion="reduce")
    for route, text in SCREENS.items():
        browser.open(route, text)
        browser.shot(f"forced-{route[2:].replace('/', '-')}")
        browser.check_messages(f"{route} forced colours")
    browser.media()


@case
def map_shows_every_state(browser, server):
    for changes, texts in [
        ({"track": "empty", "days": "none"}, ["The log has no positions yet"]),
        ({"track": "elsewhere"}, ["No positions in this period", "Show "]),
        ({"track": "one"}, ["1 point,"]),
        ({"track": "dateline"}, ["120 points"]),
        ({"track": "long"}, ["20,000 points", "Load more"]),
        ({"track": "undated"}, ["212 points have no date yet"]),
        ({"has_leaflet": False}, ["Install libjs-leaflet", "1,177 points"]),
        (
            {"failures": {"/track": (503, "the log is closed; retry later")}},
            ["Not loaded: the log is closed", "Try again"],
        ),
        ({"role": "status"}, ["Positions are not shown to guests"]),
    ]:
        server.device.reset(**changes)
        browser.open("#/map", texts)
        browser.check_layout(f"map {changes}")
        browser.shot(
            "map-" + "-".join(str(value) if not isinstance(value, dict) else "failure" for value in changes.values())
        )
        browser.check_messages(f"map {changes}", allowed=("leaflet", "503"))
    server.device.reset(track="dateline")
    browser.open("#/map", "120 points")
    length = re.search(r"120 points, ([\d.,]+) km", browser.text())
    expect(
        length and float(length[1].replace(",", "")) < 400,
        f"the track crosses the date line the long way: {browser.text()[:300]}",
    )


@case
def map_explains_points_and_gaps(browser, server):
    server.device.reset()
    browser.open("#/map?at=%d" % (day.MIDNIGHT + 7 * day.HOUR + 600000), ["Keep reason", "07:10:00"])
    point = next(row for row in day.points() if row[1] == day.MIDNIGHT + 7 * day.HOUR + 600000)
    browser.wait([f"{point[2] / 1e7:.5f}, {point[3] / 1e7:.5f}", f"{point[0]}", "driving"])
    browser.click("button", "Close")
    browser.run("const box = document.querySelector('.map-box'); box.scrollIntoView({block: 'center'})")
    browser.click(".line-button")
    browser.wait("Whole period")
    browser.run(
        "const s = document.querySelector('.chart-area'); s.focus(); "
        "s.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))"
    )
    browser.wait("Record")
    for key in ("motion", "kept", "accuracy", "altitude", "battery", "time"):
        browser.fill(".controls label:nth-child(2) select", key)
    links = [link.get_attribute("href") for link in browser.find("details a[download]")]
    expect(len(links) == 4 and "/export.gpx?from=" in links[0], f"exports: {links}")
    browser.check_messages("map details")


# The number of drawn pixels of the track, and the first and the last row of them as shares of the height of the map.
DRAWN_ROWS = """
const canvas = document.querySelector(".map-box canvas.leaflet-zoom-animated");
const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
const [area, map] = [canvas, document.querySelector(".map-box")].map((one) => one.getBoundingClientRect());
const rows = [];
for (let at = 3; at < data.length; at += 4) if (data[at] > 0) rows.push(Math.floor((at - 3) / 4 / canvas.width));
const share = (row) => (area.top + (row / canvas.height) * area.height - map.top) / map.height;
return [rows.length, share(rows[0]), share(rows.at(-1))];
"""


@case
def map_shows_gaps_that_end_in_a_privacy_zone(browser, server):
    server.device.reset()
    browser.open("#/map", ["1,177 points", "4 gaps"])
    drawn = browser.run(DRAWN_ROWS)
    expect(drawn[0] > 500, f"the track is not drawn: {drawn[0]} pixels")
    browser.run("document.querySelector('.pin.gap').click()")
    browser.wait(["No position for 20 min", "nothing is logged in privacy zones", "After"])
    expect("Before" not in browser.find("[data-key=detail]")[0].text, "a position in the zone is shown")
    browser.shot("map-private-gap")
    browser.check_messages("map with a gap in a zone")
    browser.open("#/time", "No position for 20 min")
    expect("No position for 20 min," not in browser.text(), "a length that is not known")
    server.device.reset(has_leaflet=False)
    browser.open("#/map", ["Install libjs-leaflet", "4 gaps"])
    drawn = browser.run("return [...document.querySelectorAll('.plain-map .gap')].map(one => one.getAttribute('points'))")
    expect(len(drawn) == 3 and not any("NaN" in points for points in drawn), f"{drawn}")
    browser.check_messages("drawing with a gap in a zone", allowed=("leaflet",))


@case
def map_fits_a_track_to_the_poles(browser, server):
    server.device.reset(track="poles")
    for size in (SIZES[1], SIZES[3]):
        browser.size(*size)
        browser.open("#/map", "241 points")
        browser.click("button", "Show all")
        time.sleep(0.8)  # the map glides there
        _, first, last = browser.run(DRAWN_ROWS)
        expect(0 <= first < 0.4 and 0.6 < last <= 1, f"{size}: the track is drawn from {first} to {last}")
        browser.shot(f"map-poles-{size[0]}")
    browser.check_messages("map with poles", allowed=("getImageData",))


@case
def labels_of_a_scale_do_not_overlap(browser, server):
    server.device.reset()
    for width, text_size in ((320, "100%"), (390, "100%"), (390, "200%"), (1280, "100%")):
        browser.size(width, 700)
        for route in ("#/time", "#/now", "#/map"):
            browser.open(route, SCREENS[route])
            browser.run("document.documentElement.style.fontSize = arguments[0]", text_size)
            time.sleep(0.2)
            overlaps = browser.run(
                "return [...document.querySelectorAll('.scale')].flatMap(scale => {"
                "const boxes = [...scale.children].filter(one => one.offsetWidth).map(one => [one.textContent, "
                "one.getBoundingClientRect()]).sort((a, b) => a[1].left - b[1].left);"
                "return boxes.slice(1).flatMap(([text, box], at) => boxes[at][1].right > box.left "
                "? [boxes[at][0] + '/' + text] : [])})"
            )
            expect(not overlaps, f"{route} at {width} with text of {text_size}: {overlaps}")
    browser.size(320, 700)
    browser.open("#/time", "acquisition timed out")
    browser.shot("time-320")


@case
def track_columns_decode_to_the_records(browser, server):
    server.device.reset()
    browser.open("#/now", "Destinations")
    decoded = browser.driver.execute_async_script(
        "const done = arguments[1]; import('./page/track.js').then(m => done(arguments[0].flatMap(m.decode)))",
        day.track()["points"],
    )
    records = day.points()
    expect(len(decoded) == len(records), f"{len(decoded)} of {len(records)} points")
    names = ["id", "t", "lat", "lon", "alt", "spd", "crs", "acc", "mot", "fix", "kept", "bat"]
    for point, record in zip(decoded, records):
        expect([point[name] for name in names] == list(record), f"{point} is not {record}")


@case
def time_shows_every_state(browser, server):
    for changes, texts in [
        (
            {},
            [
                "today",
                "No position for 11 min",
                "acquisition timed out after 90 s",
                "Walk, 1.4 km",
                "Visit, 98 min",
                "Europe/Berlin",
                "Sends 5",
            ],
        ),
        ({"timeline": "none"}, ["There is no log for this day"]),
        ({"days": "none"}, ["The log has no dated day yet", "receiver found"]),
        ({"days": "dst", "timeline": "dst"}, ["this day has 23 hours"]),
        ({"failures": {"/days": (503, "the log is closed; retry later")}}, ["Not loaded: the log is closed"]),
    ]:
        server.device.reset("asleep", **changes)
        browser.open("#/time", texts)
        browser.check_layout(f"time {changes}")
        browser.check_messages(f"time {changes}", allowed=("503",))
    server.device.reset("asleep")
    browser.open("#/time", "No position for 11 min")
    expect(browser.find(".lane .check"), "no mark of the next position check")
    browser.click("button", "Europe/Berlin")
    browser.wait("UTC")
    expect("502 waiting" not in browser.text(), "the sends hide the rest")
    browser.click("button", "Sends")
    browser.wait("home: 502 waiting until 10:05")
    browser.click("button", "Gaps")
    browser.until(lambda: "No position for" not in browser.text(), 3, "the filter does nothing")
    browser.click(".feed-row")
    browser.wait("History lookback")


@case
def sky_shows_every_state(browser, server):
    for name, changes, texts in [
        ("tracking", {}, ["used", "HDOP", "GLONASS", "23 s"]),
        ("asleep", {"sky": None}, ["The receiver is asleep", "Ask once"]),
        ("acquiring_nothing", {"sky": "weak"}, ["No satellite is received yet"]),
        ("cyclic", {}, ["Cyclic tracking is suspended"]),
        ("off", {"sky": None}, ["Tracking is off, so the receiver is not polled"]),
        ("private", {"sky": None}, ["In a privacy zone"]),
        ("tracking", {"sky": None}, ["The receiver is asked for its satellites"]),
        ("tracking", {"role": "status"}, ["Satellites are not shown to guests"]),
    ]:
        server.device.reset(name, **changes)
        browser.open("#/sky", texts)
        browser.check_layout(f"sky {name}")
        browser.check_messages(f"sky {name}")
    server.device.reset()
    server.device.status["receiver"]["gpsd"] = {"release": "3.22", "driver": "u-blox"}
    browser.open("#/sky", ["Satellites come through gpsd", "Sky plot"])
    shown = browser.run("return document.querySelectorAll('.sky-plot .satellite').length")
    rows = browser.run("return document.querySelectorAll('details table tbody tr').length")
    expect(shown == rows == 30, f"{shown} satellites drawn, {rows} in the table")


@case
def pages_below_more_show_their_states(browser, server):
    device = server.device
    device.reset()
    next(row for row in device.settings if row["key"] == "receiver.control")["value"] = "none"
    browser.open("#/more/receiver", ["Outrider never writes to this receiver", "NEO-M9N"])
    device.reset()
    device.status["energy"].update(missing=["energy.host_idle"], gauge_trouble="no gauge is configured")
    device.status["battery"]["state"] = "charging"
    browser.open("#/more/energy", ["energy.host_idle", "no gauge is configured", "being charged"])
    device.reset("trial")
    browser.open("#/more/settings?search=1", "default")
    browser.fill("[type=search]", "min_time")
    browser.wait(["on trial, 3 h left", "During trips: differs", "server"])
    device.reset(role="status", guest="status")
    browser.open("#/now", "Guest: you can look")
    browser.go("#/more/settings", "Guest: you can look")
    device.reset()
    browser.open("#/more/device", ["192.168.1.20:8017: cannot assign requested address", "/run/outrider/api.sock"])
    browser.click("button", "Check this device")
    browser.wait(["1 ok, 1 warning, 1 error, 2 skipped", "use a stronger supply", "A restart loses the log."])
    browser.wait(["✗ under-voltage under-voltage occurred", "– gauge no gauge is configured", "outrider set storage."])
    browser.wait("Not checked from here, run outrider doctor on the device: tls")
    browser.open("#/more/events", "delivery failing")
    browser.fill(".card select", "power")
    browser.until(lambda: "delivery failing" not in browser.text(), 3, "the group is not filtered")
    expect("Notifications" not in browser.text(), "a card without hooks")
    device.reset()
    device.status["notifications"] = {
        "handed_over": 3, "failed": 1,
        "hooks": [
            {"to": "https://ntfy.sh/…", "form": "text", "kinds": ["zones", "receiver"], "handed_over": 3, "failed": 0,
             "held": 2, "last_answer": {"ok": True, "text": "status 200", "age_s": 90}},
            {"to": states.HOSTILE, "form": "json", "handed_over": 0, "failed": 1, "trouble": "exited with status 3",
             "last_test": {"ok": False, "text": "exited with status 3", "age_s": 5}},
        ],
    }
    device.status["heartbeat"] = {
        "url": "https://hc-ping.com/…", "every_s": 3600, "healthy": True, "last_success_age_s": 600}
    browser.open("#/more/events", ["https://ntfy.sh/…", "zones, receiver", "status 200, ", "Held back",
                                   "exited with status 3", "https://hc-ping.com/…", "logging works"])
    browser.click("[data-key=notifications] button", "Test")
    browser.until(lambda: "POST /notify/test" in device.requests, 3, "the hooks were not tested")
    browser.check_messages("more")


@case
def actions_ask_and_reach_the_device(browser, server):
    device = server.device
    device.reset()
    browser.open("#/now", "Tracking enabled")
    browser.click("[role=switch]")
    browser.wait(["Turn tracking off?", "nothing is stored or sent"])
    expect(device.patched == [], "tracking was turned off without an answer")
    browser.click("dialog button", "Turn off")
    browser.wait("Tracking disabled")
    expect(device.patched == [{"tracking": False}], f"{device.patched}")
    device.reset()
    browser.open("#/now", "0:42:")
    browser.click("[data-act=trip]")
    browser.wait("Trip ended: 31.2 km")
    browser.click("button", "Send now")
    browser.wait("Sending to 1 destination")
    browser.fill(".interval select", "30s")
    browser.until(lambda: {"send_interval": "30s"} in device.patched, 3, "the interval was not set")
    device.reset("trial")
    browser.open("#/now", "Revert")
    browser.click("button", "Revert")
    browser.until(lambda: {"main.min_time": None} in device.patched, 3, "the trial was not reverted")
    device.reset()
    browser.open("#/more/sends", "captive portal")
    browser.click("button", "Drop the queue")
    browser.wait("12 records are never sent")
    browser.click("dialog button", "Cancel")
    browser.check_messages("actions")


@case
def pages_below_more_show_the_result_of_a_test(browser, server):
    device = server.device
    device.reset()
    device.tests = [{"id": 7, "destination": "home", "ok": True, "sentence": "an old result"}]
    browser.open("#/more/sends", "an old result")
    device.tests = []
    browser.click("button", "Test")
    browser.wait("token: valid for the database outrider; answer: as expected")
    expect("POST /test?destination=home" in device.requests, f"{device.requests[-5:]}")
    device.test_result = (False, "token: status 401; check the token <img src=x>", None)
    browser.click("button", "Test")
    browser.wait("status 401; check the token <img src=x>")
    expect(browser.run("return document.querySelectorAll('img').length") == 0, "an image was created")
    device.failures["/test"] = (409, "a test of this destination is in progress; wait for its result")
    browser.click("button", "Test")
    browser.wait("a test of this destination is in progress")
    device.reset(role="status", guest="status")
    browser.open("#/more/sends", "not shown to guests")
    expect("Test" not in [button.text for button in browser.find("button")], "a guest can test")
    browser.check_messages("test", allowed=("409",))


@case
def settings_are_changed_with_one_request_after_a_preview(browser, server):
    device = server.device
    device.reset()
    browser.open("#/more/settings", "default")
    browser.fill("[type=search]", "zones")
    browser.wait("wifi_zones")
    expect("zones[]." not in browser.text(), "a member of a list is shown as a setting")
    browser.fill("[type=search]", "min_time")
    browser.fill("#set-main-min_time", "-1s")
    browser.click("button", "Review")
    browser.wait(["Apply these changes?", "-1s"])
    browser.click("dialog button", "Apply")
    browser.wait("main.min_time: expected a duration from 0s to 1d")
    expect(device.patched == [], "an invalid value was accepted")
    browser.until(
        lambda: "from 0s to 1d" in browser.find(".setting [role=alert]")[0].text, 3, "the error is not at the field"
    )
    browser.fill("#set-main-min_time", "5s")
    browser.fill("#set-main-min_time-trip", "3s")
    browser.wait("2 changes")
    browser.click("button", "Review")
    browser.click("dialog button", "Apply")
    browser.wait("The settings were changed")
    expect(device.patched == [{"main.min_time": "5s", "trip.min_time": "3s"}], f"{device.patched}")
    device.reset()
    next(row for row in device.settings if row["key"] == "main.min_time").update(value="1s", origin="operator")
    browser.open("#/more/settings", "default")
    browser.click("button", "Profiles and cost")
    browser.wait([
        "7.8 mAh a day for the receiver", "672 mAh a day for the receiver, 4272 mAh a day in all",
        "the currents are missing; set energy.receiver_sleeping", "Last complete day, 2026-02-28"])
    browser.click("dialog button", "Battery saving")
    browser.wait(["Battery saving", "main.resume_with_geofence", "500m", "kept: you set it"])
    expect(device.patched == [], "a profile was changed without an answer")
    browser.click("dialog button", "Apply")
    browser.wait("The settings were changed")
    expect(device.patched == [{"usage_profile": "battery-saving"}], f"{device.patched}")
    browser.fill("[type=search]", "api.listen")
    browser.fill("#set-api-listen", "0.0.0.0:8080")
    browser.click("button", "Review")
    browser.wait("This can cut off this page")
    browser.click("dialog button", "Cancel")
    browser.click("button", "Discard")
    browser.fill("[type=search]", "network.settling")
    browser.fill("#set-network-settling", "8s")
    browser.click("button", "Review")
    browser.wait("This can cut you off")
    browser.check_messages("settings", allowed=("422",))


@case
def a_change_that_can_cut_the_page_off_is_kept_or_undone(browser, server):
    device = server.device
    device.reset()
    browser.open("#/more/settings", "default")
    browser.fill("[type=search]", "api.listen")
    browser.fill("#set-api-listen", "0.0.0.0:8017")
    browser.click("button", "Review")
    browser.wait("undone after 90 s")
    browser.click("dialog button", "Apply")
    browser.wait(["On trial: api.listen", "Undone in 8", "now listens on 0.0.0.0:8017"])
    expect(any(row.startswith("PATCH /settings?trial=1") for row in device.requests), f"{device.requests}")
    expect(not browser.find(".banner.trial a"), "an address is offered although this page came another way")
    browser.check_layout("trial")
    browser.check_accessibility("trial")
    browser.shot("settings-trial")
    browser.go("#/now", "Destinations")
    browser.click(".banner.trial button", "Keep")
    browser.wait("The change is kept")
    browser.until(lambda: not browser.find(".banner.trial"), 3, "the line stays")
    expect(device.patched[-1] == {"id": "t1"}, f"{device.patched}")
    device.reset(trial_s=3)
    device.needs_sign_in_elsewhere = True
    browser.open("#/more/settings", "default")
    browser.fill("[type=search]", "api.listen")
    browser.fill("#set-api-listen", "0.0.0.0:8017")
    browser.click("button", "Review")
    browser.click("dialog button", "Apply")
    browser.wait("Open http://127.0.0.1:8017/, sign in and keep the change there")
    browser.wait("The previous values return")
    expect(not browser.find(".banner.trial button"), "a change that is over can be kept")
    device.status.pop("settings_trial")
    device.publish("status", device.status)
    browser.until(lambda: not browser.find(".banner.trial"), 3, "the line stays")
    device.reset(role="status", guest="status")
    device.status["settings_trial"] = {"id": "t1", "keys": ["api.listen"], "goes_back_in_s": 60}
    browser.open("#/now", "Guest: you can look")
    expect(not browser.find(".banner.trial"), "a guest is asked")
    browser.check_messages("trial")


@case
def destinations_keep_hidden_values_and_ask_about_the_queue(browser, server):
    device = server.device
    device.reset()
    browser.open("#/more/destinations", "Add a destination")
    expect("(hidden)" not in browser.text(), "a placeholder is shown")
    browser.click("button", "Test")
    browser.wait("valid for the database outrider")
    browser.fill("#destination-0-name", "house")
    browser.click("button", "Save")
    browser.wait("destinations[0].token: missing")
    expect(device.patched == [], "a list was accepted without its token")
    device.reset(failures={"conflict": (409, ""), "/test": (404, "no such destination")})
    browser.open("#/more/destinations", "Add a destination")
    browser.click("button", "Test")
    browser.wait("no such destination")
    browser.fill("#destination-0-url", "https://example.org/new")
    browser.click("button", "Save")
    browser.wait("Keep the queue?")
    browser.click("dialog button", "Keep the queue")
    browser.wait("The destinations were saved")
    sent = device.patched[0]["destinations"][0]
    expect(sent["url"] == "https://example.org/new" and sent["token"] == "(hidden)", f"{device.patched}")
    browser.check_messages("destinations", allowed=("409", "404", "422"))


@case
def signing_in_needs_the_right_token(browser, server):
    server.device.reset(needs_sign_in=True)
    browser.open("#/now", "A token protects this logger")
    browser.check_layout("sign-in")
    browser.check_accessibility("sign-in")
    browser.shot("sign-in")
    browser.fill("#token", "wrong")
    browser.click("button", "Sign in")
    browser.wait("The token is wrong")
    browser.fill("#token", "correct horse battery")
    browser.click("button", "Sign in")
    browser.wait("Destinations")
    server.device.reset(needs_sign_in=True)
    browser.open("#code=once", "Destinations")
    expect("once" not in browser.run("return location.href"), "the code stays in the address")
    server.device.needs_sign_in = True
    browser.go("#/more/sends", "A token protects this logger")
    browser.check_messages("sign-in", allowed=("401",))


@case
def connection_states_are_told_apart(browser, server):
    device = server.device
    device.reset()
    browser.open("#/now", "live")
    device.is_down = True
    device.publish("closing", {"reason": "host suspends", "until": day.iso(day.NOW + 3600000)})
    for stream in list(device.streams):
        stream.put(None)
    browser.wait("The device is asleep until 12:00")
    expect(browser.find(".hero.stale"), "the values are not greyed")
    device.is_down = False
    browser.wait("live", 9)
    device.is_down = True
    device.publish("closing", {"reason": "program ends", "until": None})
    for stream in list(device.streams):
        stream.put(None)
    browser.wait("The logger was stopped")
    browser.shot("banner-ended")
    device.is_down = False
    browser.wait("live", 9)
    device.is_down = True
    for stream in list(device.streams):
        stream.put(None)
    browser.wait("No data from the device for")
    browser.check_layout("banner")
    browser.shot("banner-lost")
    device.is_down = False
    browser.wait("live", 9)
    device.reset(refuses_stream=True)
    browser.open("#/now", "No stream for this page")
    browser.wait("every 15 s")
    device.reset()
    browser.driver.get_log("browser")


@case
def only_one_stream_is_open_and_values_follow_it(browser, server):
    device = server.device
    device.reset()
    for stream in list(device.streams):
        stream.put(None)
    browser.open("#/now", "live")
    browser.until(lambda: len(device.streams) == 1, 5, lambda: f"{len(device.streams)} streams")
    bare = {key: value for key, value in device.status["destinations"][0].items() if not key.startswith("next_")}
    device.publish("queue", {**bare, "queued": 77, "waiting_for": "records"})
    browser.wait(["77", "with the next record"])
    device.publish(
        "tracker",
        {"tracker": {"state": "acquiring", "since_s": 1, "reason": "signal lost"}, "motion": device.status["motion"]},
    )
    browser.wait(["Acquiring", "signal lost"])
    device.requests.clear()
    time.sleep(2.2)
    expect(not device.requests, f"requests without a person: {device.requests}")
    browser.check_messages("stream")


@case
def gathered_values_are_explained(browser, server):
    server.device.reset(gather=3)
    browser.open("#/now", "live")
    browser.wait("Values arrive every 3 s, to save power", 9)
    browser.click("button", "Live, 2 min")
    browser.until(lambda: any("live=1" in row for row in server.device.requests), 3, "the stream is not opened again")
    browser.check_messages("gathered")


@case
def plots_equal_their_data(browser, server):
    server.device.reset()
    browser.open("#/time", "No position for 11 min")
    drawn = browser.run(
        "return [...document.querySelectorAll('.lane')].map(lane => [...lane.querySelectorAll('.span')]"
        ".map(span => [Number(span.getAttribute('x')), Number(span.getAttribute('width'))]))"
    )
    rows = {row["name"]: row["spans"] for row in day.timeline()["rows"]}
    for lane, name in zip(drawn, ["trips", "motion", "receiver", "gaps"]):
        for (left, wide), (start, end, *_) in zip(lane, rows[name], strict=True):
            expected = (start - day.MIDNIGHT) / day.DAY * 400
            expect(abs(left - expected) < 0.2, f"{name}: a span begins at {left}, not at {expected:.1f}")
            if end is not None:
                expect(abs(wide - max(1.5, (end - start) / day.DAY * 400)) < 0.2, f"{name}: a span is {wide} wide")
    browser.open("#/more/energy", "As table")
    sums = browser.run(
        "const found = {}; for (const r of document.querySelectorAll('.share')) {"
        "const x = r.getAttribute('x'); found[x] = (found[x] ?? 0) + Number(r.getAttribute('height')) } return Object.values(found)"
    )
    totals = [sum(share.get("charge_mAh", 0) for share in row["shares"]) for row in mock.energy_days(server.device)]
    most = max(max(total, row["gauge_mAh"]) for total, row in zip(totals, mock.energy_days(server.device)))
    for height, total in zip(sums, totals, strict=True):
        expect(abs(height - total / most * 144) < 0.5, f"a bar of {height:.1f} for {total:.0f} mAh")
    steps = browser.driver.execute_async_script(
        "const done = arguments[1]; import('./page/track.js').then(m => { const points = arguments[0].points.flatMap(m.decode);"
        "const {step} = m.colours({...arguments[0], points}, 'kept'); done(points.map(step)) })",
        day.track(),
    )
    expect(steps == [row[10] for row in day.points()], "colours differ from the keep reasons")


def open_map_with_tiles(browser, server, tiles="all", **options):
    server.device.reset(tiles=tiles)
    server.device.requests.clear()
    server.device.map.update(tiles="tiles/{z}/{x}/{y}?v=1", max_zoom=14, attribution="© <b>OSM</b> & friends", **options)
    browser.open("#/map", "1,177 points")


@case
def map_tiles_of_a_file_lie_over_the_grid(browser, server):
    drawn = "return [...document.querySelectorAll('img.leaflet-tile')].filter(one => one.naturalWidth > 0).length"
    grid = ".map-box canvas.leaflet-tile"
    open_map_with_tiles(browser, server)
    browser.until(lambda: browser.run(drawn) > 1, 5, "no tile is drawn")
    browser.wait("© <b>OSM</b> & friends")
    expect(not browser.find(grid), "a grid although all tiles are there")
    expect("sees which places" not in browser.text(), "a file shows nobody what is looked at")
    asked = [row for row in server.device.requests if row.startswith("GET /tiles/")]
    expect(all(re.fullmatch(r"GET /tiles/\d+/\d+/\d+\?v=1", row) for row in asked), f"{asked[:3]}")
    expect(all(int(row.split("/")[2]) <= 14 for row in asked), "a zoom that the file does not have is requested")
    browser.check_layout("map with tiles")
    browser.check_accessibility("map with tiles")
    browser.shot("map-tiles")
    browser.check_messages("map with tiles")
    open_map_with_tiles(browser, server, "missing")
    browser.until(lambda: browser.find(grid), 5, "no grid where tiles are missing")
    expect("No map background" not in browser.text(), "a missing tile is reported as a fault")
    open_map_with_tiles(browser, server, bounds=[0, 0, 1, 1])
    time.sleep(0.5)
    asked = [row for row in server.device.requests if row.startswith("GET /tiles/")]
    expect(not asked, f"tiles outside of the bounds are requested: {asked[:3]}")
    open_map_with_tiles(browser, server, "fail")
    browser.wait("No map background: map.tiles: /maps/city.mbtiles: the file is damaged")
    browser.until(lambda: browser.find(grid), 5, "no grid beneath the failed tiles")
    browser.shot("map-tiles-fail")
    server.device.reset()
    server.device.map["problem"] = "map.tiles: /maps/city.mbtiles: the file does not exist"
    browser.open("#/map", "the file does not exist")
    browser.until(lambda: browser.find(grid), 5, "no grid without a file")
    browser.driver.get_log("browser")


@case
def map_tiles_of_a_server_are_named(browser, server):
    tiles = mock.TileServer()
    origin = f"http://127.0.0.1:{tiles.server_port}"
    server.device.reset(tile_origin=origin)
    server.device.map.update(tiles=origin + "/{z}/{x}/{y}.png", max_zoom=19)
    browser.open("#/map", ["1,177 points", f"127.0.0.1:{tiles.server_port} sees which places you look at"])
    browser.until(lambda: tiles.requests, 5, "no tile is requested")
    time.sleep(0.3)
    expect(all(re.fullmatch(r"/\d+/\d+/\d+\.png", row[0]) for row in tiles.requests), f"{tiles.requests[:3]}")
    expect(all(row[1] == browser.base for row in tiles.requests), f"the server sees more than the origin: {tiles.requests[:3]}")
    browser.check_messages("map of a server", origins=(origin,))
    tiles.works = False
    browser.command("Network.clearBrowserCache")
    browser.open("#/map", "this browser needs the internet for it")
    browser.until(lambda: browser.find(".map-box canvas.leaflet-tile"), 5, "no grid beneath the failed tiles")
    browser.driver.get_log("browser")
    # The page of a device without that setting may not load from there.
    server.device.tile_origin = None
    tiles.requests.clear()
    browser.open("#/map", "this browser needs the internet for it")
    expect(not tiles.requests, f"the policy lets requests through: {tiles.requests[:3]}")
    for log in ("browser", "performance"):
        browser.driver.get_log(log)
    tiles.shutdown()


@case
def a_place_on_the_map_becomes_a_zone(browser, server):
    device = server.device
    device.reset()
    browser.open("#/map", "1,177 points")
    browser.click("button", "Make a zone")
    browser.wait(["Tap the place on the map", "Arrival and departure are recorded", "home · Zone · 150 m"])
    expect(browser.find(".zones .primary")[0].get_attribute("disabled"), "a zone without a place can be made")
    browser.run(
        "const box = document.querySelector('.map-box'); box.scrollIntoView({block: 'center'}); "
        "const at = box.getBoundingClientRect(); const spot = {clientX: at.left + 90, clientY: at.top + 90, bubbles: true};"
        "for (const kind of ['mousedown', 'mouseup', 'click']) box.querySelector('.leaflet-map-pane').dispatchEvent("
        "new MouseEvent(kind, spot))"
    )
    browser.wait("Place: ")
    tapped = browser.text()
    browser.click("button", "Use the present position")
    browser.until(lambda: browser.text() != tapped, 3, "the place stays")
    browser.click("button", "Make the zone")
    browser.wait("Enter a name")
    browser.fill(".zones .form label:nth-child(2) input", "work")
    browser.fill(".zones .form label:nth-child(3) input", "80")
    browser.check_layout("zone form")
    browser.check_accessibility("zone form")
    browser.shot("map-zone")
    browser.click("button", "Make the zone")
    browser.wait("The zone work is set")
    home, work = device.patched[-1]["zones"]
    expect(home["name"] == "home" and home["radius"] == "150m", f"the known zone is lost: {home}")
    place = device.status["position"]
    expect(
        work == {"name": "work", "radius": "80m", "latitude": round(place["latitude"], 6),
                 "longitude": round(place["longitude"], 6)}, f"{work}")
    browser.click("button", "Make a zone")
    browser.click("button", "Use the present position")
    browser.fill(".zones select", "privacy_zones")
    browser.fill(".zones .form label:nth-child(2) input", "den")
    browser.click("button", "Make the zone")
    browser.wait(["Make the privacy zone den?", "nothing is recorded inside it"])
    browser.click("dialog button", "Make the zone")
    browser.wait("The zone den is set")
    expect([zone["name"] for zone in device.patched[-1]["privacy_zones"]] == ["den"], f"{device.patched[-1]}")
    browser.click("button", "Make a zone")
    browser.click("button", "Use the present position")
    browser.fill(".zones select", "wifi_zones")
    browser.fill(".zones .form label:nth-child(2) input", "cafe")
    browser.click("button", "Make the zone")
    browser.wait("Enter the name of the network")
    browser.fill(".zones .form label:nth-child(3) input", "<img src=x onerror=alert(1)>")
    browser.click("button", "Make the zone")
    browser.wait("The zone cafe is set")
    cafe = device.patched[-1]["wifi_zones"][0]
    expect(cafe["ssid"].startswith("<img") and "radius" not in cafe, f"{cafe}")
    device.status["ssid"] = "Café <b>du</b> Parc"
    device.publish("status", device.status)
    browser.click("button", "Make a zone")
    browser.click("button", "Use the present position")
    browser.fill(".zones select", "wifi_zones")
    browser.wait("now joined")
    browser.fill(".zones .form label:nth-child(2) input", "park")
    browser.click("button", "Make the zone")
    browser.wait("The zone park is set")
    expect(device.patched[-1]["wifi_zones"][1]["ssid"] == "Café <b>du</b> Parc", f"{device.patched[-1]}")
    browser.click("button", "Make a zone")
    browser.click(".zones button[aria-label='Remove: home']")
    browser.wait("Arrivals and departures are not recorded any more")
    browser.click("dialog button", "Remove")
    browser.wait("The zone home was removed")
    expect([zone["name"] for zone in device.patched[-1]["zones"]] == ["work"], f"{device.patched[-1]}")
    device.reset(has_leaflet=False)
    browser.open("#/map", "Install libjs-leaflet")
    browser.click("button", "Make a zone")
    browser.click("button", "Use the present position")
    browser.wait("Place: ")
    device.reset(role="positions", guest="positions")
    browser.open("#/map", "1,177 points")
    expect("Make a zone" not in browser.text(), "a guest can make zones")
    browser.check_messages("zones", allowed=("leaflet",))


@case
def a_setup_url_shows_its_changes_first(browser, server):
    device = server.device
    device.reset()
    browser.open("#/more/settings", "Paste a setup URL")
    browser.fill("form[data-key=setup-url] input", "https://example.org")
    browser.click("button", "Show the changes")
    browser.wait("expected a setup URL")
    browser.fill("form[data-key=setup-url] input", "overland://setup?url=https%3A%2F%2Fnew.example%2F&token=t")
    browser.click("button", "Show the changes")
    browser.wait(["Apply the setup URL?", "url: https://new.example/…", "token: (hidden)", "the name is empty"])
    browser.click("dialog button", "Cancel")
    expect(device.patched == [], "the URL was applied without an answer")
    browser.click("button", "Show the changes")
    browser.click("dialog button", "Apply")
    browser.wait("Keep the queue?")
    browser.click("dialog button", "Drop the queue")
    browser.wait("The setup URL was applied")
    sent = device.patched[-1]
    expect(sent["queue"] == "drop" and sent["apply"] == "1" and sent["url"].endswith("token=t"), f"{sent}")
    browser.check_messages("setup URL", allowed=("422", "409"))


@case
def the_map_begins_as_the_settings_say(browser, server):
    server.device.reset()
    browser.open("#/map", "1,177 points")
    browser.run("localStorage.clear()")
    server.device.requests.clear()
    server.device.map.update(lookback_s=43200, min_path_length=25)
    browser.open("#/map", "1,177 points")
    shown = browser.run("return [...document.querySelectorAll('.controls select')][0].selectedOptions[0].text")
    expect("12 h" in shown, f"the lookback is {shown}")
    expect(browser.run("return document.querySelector('details input[type=number]').value") == "25", "the path length")
    asked = next(row for row in server.device.requests if row.startswith("GET /track"))
    begin, end = (int(re.search(rf"{name}=(\d+)", asked)[1]) for name in ("from", "to"))
    expect(abs(end - begin - 43200000) < 1000, f"{asked}")
    browser.check_messages("map settings")


@case
def first_paint_is_quick_on_a_slow_network(browser, server):
    server.device.reset()
    browser.command("Network.enable")
    browser.command("Network.clearBrowserCache")
    browser.command(
        "Network.emulateNetworkConditions",
        offline=False,
        latency=100,
        downloadThroughput=125000,
        uploadThroughput=125000,
    )
    try:
        browser.open("#/now", "Destinations")
        paint = browser.run("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
        expect(paint < 1000, f"first paint after {paint:.0f} ms at 1 Mbit/s")
    finally:
        browser.command(
            "Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )


# Clicks a link; answers the seconds until a text is in the note below the map and the next frame is drawn.
DRAWN = """
const [link, text, done] = arguments;
const begun = performance.now();
const look = () => document.querySelector(".note")?.textContent.includes(text)
  ? requestAnimationFrame(() => requestAnimationFrame(() => done((performance.now() - begun) / 1000)))
  : requestAnimationFrame(look);
document.querySelector(link).click();
look();
"""


@case
def the_longest_track_is_drawn_quickly_on_a_slow_processor(browser, server):
    server.device.reset(track="long")
    browser.open("#/now", "Destinations")
    browser.command("Emulation.setCPUThrottlingRate", rate=5)
    try:
        seconds = browser.driver.execute_async_script(DRAWN, "nav a[href='#/map']", "20,000 points, ")
    finally:
        browser.command("Emulation.setCPUThrottlingRate", rate=1)
    expect(seconds < 3, f"20,000 points are drawn after {seconds:.1f} s at a fifth of the speed")


@case
def everything_works_by_keyboard(browser, server):
    server.device.reset()
    browser.size(390, 844)
    browser.open("#/now", "Destinations")
    press = lambda key: browser.run(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))", key
    )
    for key, text in [
        ("2", "History lookback"),
        ("3", "Europe/Berlin"),
        ("4", "Sky plot"),
        ("5", "Units and theme"),
        ("1", "Destinations"),
    ]:
        press(key)
        browser.wait(text)
    press("s")
    browser.wait("Sending to 1 destination")
    press("?")
    browser.wait("search the settings")
    browser.click("dialog button", "Close")
    press("/")
    browser.until(
        lambda: browser.run("return document.activeElement.type") == "search", 5, "/ does not go to the search"
    )
    browser.open("#/now", "Destinations")
    seen = []
    for _ in range(40):
        browser.command("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        browser.command("Input.dispatchKeyEvent", type="keyUp", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        name, outline = browser.run(
            "const e = document.activeElement, s = getComputedStyle(e); return ["
            "(e.innerText || e.getAttribute('aria-label') || e.localName).trim(), s.outlineStyle + ' ' + s.outlineWidth]"
        )
        seen.append(name)
        # After the last control the focus leaves the page.
        is_visible = "none" not in outline and outline != "auto 0px"
        expect(is_visible or browser.run("return document.activeElement === document.body"), f"{name}: no visible focus")
    for wanted in ("Skip to content", "Copy", "Tracking enabled", "Stop", "Send now", "Send interval", "Map"):
        expect(any(wanted in one for one in seen), f"{wanted} is not reached by Tab: {seen}")


@case
def values_equal_the_status(browser, server):
    server.device.reset(fixes=False)
    browser.open("#/now", "Destinations")
    status = server.device.status
    browser.wait(
        [
            f"{status['position']['latitude']:.5f}, {status['position']['longitude']:.5f}",
            f"{status['position']['speed_mps'] * 3.6:.0f}",
            f"{status['records']['location']:,}",
            f"{status['today']['records']:,}",
            f"{status['battery']['voltage_V']:.2f} V",
            status["tracker"]["reason"],
            "1,980",
            "0.4 s",
        ]
    )
    browser.go("#/more/display", "Theme")
    browser.run("document.querySelector('input[value=mph]').click()")
    browser.go("#/now", "mph")
    browser.wait(f"{status['position']['speed_mps'] * 2.2369363:.0f}")
    browser.run("localStorage.clear()")
