"""What a newcomer wants to do, from the page alone: each task begins on Now and takes at most three taps.

And what a newcomer asks when a figure is missing.
"""

import re

from selenium.common.exceptions import WebDriverException

from browser import Failure, expect

MOST_TAPS = 3
CASES = []


class Finger:
    """Taps what a person sees, and counts. A control that is covered or not on the page cannot be tapped."""

    def __init__(self, browser):
        self.browser, self.taps = browser, 0

    def tap(self, selector, text):
        browser = self.browser

        def shown():
            return [one for one in browser.find(selector) if one.is_displayed() and text in one.text]

        browser.until(lambda: shown(), 5, f"nothing to tap: {selector} {text}")
        target = shown()[0]
        browser.run("arguments[0].scrollIntoView({block: 'center'})", target)
        try:
            target.click()
        except WebDriverException as error:
            raise Failure(f"{selector} {text} cannot be tapped: {error.msg}")
        self.taps += 1
        expect(self.taps <= MOST_TAPS, f"{text}: {self.taps} taps, at most {MOST_TAPS}")


def register(function):
    CASES.append(function)
    return function


def task(state):
    """A case that begins on Now of a device in a state."""

    def decorate(function):
        def run(browser, server):
            server.device.reset(state)
            browser.size(390, 844, 2)
            browser.open("#/now", "Destinations")
            finger = Finger(browser)
            function(browser, server.device, finger)
            browser.check_messages(function.__name__)
            print(f"       {function.__name__}: {finger.taps} taps")

        run.__name__ = function.__name__
        CASES.append(run)
        return function

    return decorate


@task("tracking")
def task_where_am_i_and_is_it_sent(browser, device, finger):
    browser.wait(["52.52001, 13.40495", "±3.1 m", "Queued 12", "Last sent 41 s ago"])
    finger.tap("nav a", "Map")
    browser.wait("1,177 points")


@task("asleep")
def task_why_is_there_a_hole(browser, device, finger):
    finger.tap("nav a", "Time")
    browser.wait(["No position for 11 min", "acquisition timed out after 90 s", "back-off 8 min"])
    finger.tap(".feed-row", "No position for 11 min")
    browser.wait("History lookback")


@task("asleep")
def task_start_a_trip_and_export_it(browser, device, finger):
    browser.wait("No trip is running")
    finger.tap("[data-act=trip]", "Start")
    browser.wait("started by hand")
    finger.tap("[data-act=trip]", "Stop")
    browser.wait("Trip ended")
    finger.tap(".trip a", "GPX")
    browser.until(lambda: exported(device), 5, "no file is requested")
    begin, end = exported(device)
    trip = device.ended
    expect(begin == trip["from"] and end >= trip["from"] + trip["duration_s"] * 1000, f"{begin} to {end}: {trip}")


def exported(device):
    """The period of the last exported file."""
    rows = [re.search(r"GET /export\.gpx\?from=(\d+)&to=(\d+)", row) for row in device.requests]
    return next(([int(row[1]), int(row[2])] for row in reversed(rows) if row), None)


@task("tracking")
def task_save_the_battery_and_see_the_cost(browser, device, finger):
    finger.tap(".usage button", "Profiles and cost")
    browser.wait(["Default · in use", "672 mAh a day for the receiver", "Battery saving", "7.8 mAh a day"])
    browser.check_layout("usage profiles")
    browser.check_accessibility("usage profiles")
    browser.shot("usage-profiles")
    finger.tap("dialog button", "Battery saving")
    browser.wait(["Apply these changes?", "7.8 mAh a day", "Now: 672 mAh a day", "main.resume_with_geofence", "500m"])
    expect(device.patched == [], "the profile was changed without an answer")
    cut = browser.run("const s = document.querySelector('dialog .scroll'); return s.scrollWidth - s.clientWidth")
    expect(cut <= 0, f"the preview is {cut} wider than the dialog")
    browser.shot("usage-preview")
    finger.tap("dialog button", "Apply")
    browser.until(lambda: device.patched == [{"usage_profile": "battery-saving"}], 5, lambda: f"{device.patched}")
    expect(any(row.startswith("PATCH /settings?trial=1") for row in device.requests), f"{device.requests}")
    browser.wait("Track within 50 m")
    browser.until(lambda: browser.find(".usage .lead")[0].text == "Battery saving", 3, "the card keeps the old profile")
    row = next(row for row in device.settings if row["key"] == "usage_profile")
    row["value"] = "significant-only"
    browser.go("#/more", "Settings")
    browser.go("#/now", "A location after 500 m")


@task("delivery_failing")
def task_why_does_the_server_refuse(browser, device, finger):
    reason = "401: invalid token; correct destinations[].token"
    browser.wait(f"Delivery fails: {reason}")
    expect(browser.text().count(reason) == 1, "the reason is told more than once")
    finger.tap("[data-key=destinations] > h2 a", "Show")
    browser.wait(["Last exchanges", "token rejected"])


@register
def now_explains_what_is_not_known(browser, server):
    device = server.device
    device.reset(fixes=False)
    status = device.status
    status["uptime_s"] = 780
    for name in ("distance_m", "records", "trips", "visits", "sends", "bytes_sent"):
        del status["today"][name]
    del status["power"]["days_left"]
    status["motion"]["steps"] = 5
    place = status["destinations"][0]
    # A message about the queue replaces what was known before: the time of the next send is over.
    browser.open("#/now", ["Next send in 4 min", "being counted from the log", "requires 6 h of running; 5 h 47 min to go"])
    del place["next_in_s"], place["next_send_in_s"]
    place.update(waiting_for="records", queued=0)
    device.publish("queue", place)
    browser.wait("Next send with the next records")
    text = browser.text()
    expect("steps" not in text, "steps are counted while driving")
    expect("–" not in browser.find("[data-key=today]")[0].text, "a figure of today is a dash")
    status["uptime_s"] = 30000
    status["motion"].update(state="walking", steps=4200)
    device.publish("status", status)
    browser.wait(["set gauge.capacity_mAh or power.capacity_mAh", "walking 97 % sure, 4,200 steps in all"])
    browser.check_messages("now without figures")


@register
def the_files_of_a_stopped_trip_go_when_another_begins(browser, server):
    device = server.device
    device.reset("asleep")
    browser.open("#/now", "No trip is running")
    for text in ("Start", "Stop"):
        browser.click("[data-act=trip]", text)
    browser.until(lambda: browser.find(".trip a[download]"), 3, "no files of the trip")
    device.publish("trip", {"running": True, "mode": "car", "start": "2026-03-01T11:00:00Z", "duration_s": 1})
    browser.wait("Stop")
    device.publish("trip", {"running": False})
    browser.wait("No trip is running")
    expect(not browser.find(".trip a[download]"), "the files of an older trip are offered")


@register
def a_failure_is_told_once(browser, server):
    device = server.device
    device.reset("delivery_failing")
    browser.open("#/now", "Delivery fails: 401: invalid token")
    browser.run("localStorage.setItem('outrider.seen', '1')")
    browser.open("#/now", "Delivery fails: 401: invalid token")
    expect(browser.text().count("401: invalid token") == 1, "the answer of the server is told more than once")
    expect("delivery failing" not in browser.find("[data-key=left]")[0].text, "the event is told beside the failure")
