"""What guests see and ask for, and when the page has a stream."""

import time

import mock
from browser import expect
from cases import SCREENS

CASES = []
SIGN_IN = "A token protects this logger"
# What stands in the place of what a guest may not see.
NOTES = {
    "status": {
        "#/map": "Positions are not shown to guests",
        "#/time": "Not shown to guests: Visits, Sends",
        "#/sky": "Satellites are not shown to guests",
        "#/more/sends": "Not shown to guests: Last exchanges",
        "#/more": "Last requests",
        "#/more/trips": ["Walk, 1.4 km", "Positions are not shown to guests"],
    },
    "positions": {
        "#/map": "1,177 points",
        "#/time": ["Not shown to guests: Sends", "Visit, 98 min"],
        "#/sky": "Satellites are not shown to guests",
        "#/more/sends": "Not shown to guests: Last exchanges",
        "#/more": "Last requests",
        "#/more/trips": ["Walk, 1.4 km", "98 min"],
    },
}
OPERATOR_PAGES = ("#/more/settings", "#/more/destinations")


def case(function):
    CASES.append(function)
    return function


def refused(device):
    """The requests of the page that the device refused to its guest."""
    rows = [row.split("?")[0].split(" ", 1) for row in device.requests]
    return [f"{method} {path}" for method, path in rows if method != "GET" or mock.is_refused(path, device.role)]


@case
def guests_keep_the_page_on_every_screen(browser, server):
    device = server.device
    for role, notes in NOTES.items():
        device.reset(role=role, guest=role)
        device.requests.clear()
        for route, text in SCREENS.items():
            if route in OPERATOR_PAGES:
                text = "Guest: you can look"
            elif route == "#/more/receiver":
                text = "NEO-M9N"
            browser.open(route, notes.get(route, text))
            time.sleep(0.3)
            expect(SIGN_IN not in browser.text(), f"{role}: {route} requires a sign-in")
            expect("Not loaded" not in browser.text(), f"{role}: {route}: {browser.text()[:300]}")
            browser.check_layout(f"{role} {route}")
            browser.shot(f"guest-{role}-{route[2:].replace('/', '-')}")
        expect(not refused(device), f"{role}: {refused(device)}")
        browser.check_messages(f"guest: {role}")


@case
def guests_are_polled_for_without_a_word_and_can_sign_in(browser, server):
    device = server.device
    device.reset(role="positions", guest="positions")
    device.requests.clear()
    browser.open("#/now", ["Guest: you can look", "every 15 s"])
    browser.until(lambda: "GET /status" in device.requests, 3, "no status is loaded")
    expect("No stream for this page" not in browser.text(), "a guest is told of streams")
    expect(not refused(device), f"{refused(device)}")
    browser.check_messages("guest")
    browser.shot("guest-now")
    browser.click(".guest button", "Sign in")
    browser.wait(SIGN_IN)
    browser.click("button", "Cancel")
    browser.wait("Guest: you can look")
    browser.click(".guest button", "Sign in")
    browser.fill("#token", "correct horse battery")
    browser.click("button", "Sign in")
    browser.wait(["Send now", "live"])
    browser.check_messages("guest signed in")


@case
def an_operator_whose_sign_in_ends_becomes_a_guest(browser, server):
    device = server.device
    device.reset()
    browser.open("#/now", "live")
    device.role = device.guest = "status"
    for stream in list(device.streams):
        stream.put(None)
    browser.wait(["Guest: you can look", "every 15 s"], 10)
    expect("No stream for this page" not in browser.text(), "a guest is told of streams")
    device.needs_sign_in = True
    browser.go("#/time", SIGN_IN)
    browser.check_messages("sign-in ended", allowed=("401",))


@case
def a_page_that_was_left_has_no_stream(browser, server):
    device = server.device
    device.reset()
    browser.until(lambda: not device.streams, 5, "an older stream stays open")
    browser.open("#/now", "live")
    for _ in range(5):
        browser.driver.get(f"{browser.base}page/icon.svg")
        browser.until(lambda: not device.streams, 3, lambda: f"{len(device.streams)} streams of a page that was left")
        browser.driver.back()
        browser.wait("live")
        browser.until(lambda: len(device.streams) == 1, 3, lambda: f"{len(device.streams)} streams after the return")
    # The page as a browser keeps it.
    browser.run("window.dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}))")
    browser.until(lambda: not device.streams, 3, "a page that is kept keeps its stream")
    browser.run("window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    browser.until(lambda: len(device.streams) == 1, 3, "no stream after the return")
    browser.wait("live")
    browser.check_messages("page that was left", allowed=("favicon",))
