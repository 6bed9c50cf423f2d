"""A short list of cases in WebKit, the engine of iPhones, on a display without a screen."""

import os
import pathlib
import shutil
import subprocess

import day
from browser import Browser, Failure, expect
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.webkitgtk.options import Options

DRIVER = shutil.which("WebKitWebDriver")
CASES = []


def case(function):
    CASES.append(function)
    return function


def missing():
    """The package that is missing; None if WebKit can be tested."""
    if DRIVER is None:
        return "webkit2gtk-driver"
    return None if shutil.which("Xvfb") else "xvfb"


class WebKit(Browser):
    """WebKitGTK's MiniBrowser. It has neither a log of the console nor one of requests."""

    def __init__(self, shots=None):
        reading, writing = os.pipe()
        self.display = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x1200x24", "-nolisten", "tcp"],
            pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as number:
            os.environ["DISPLAY"] = ":" + number.readline().strip()
        # A container has neither namespaces for WebKit's sandbox nor a graphics card.
        os.environ.update(WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS="1", WEBKIT_DISABLE_COMPOSITING_MODE="1")
        try:
            try:
                from selenium.webdriver.webkitgtk.service import Service
                self.driver = webdriver.WebKitGTK(options=Options(), service=Service(DRIVER))
            except TypeError:
                # Selenium before 4.10.
                self.driver = webdriver.WebKitGTK(options=Options(), executable_path=DRIVER)
        except BaseException:
            self.display.kill()
            raise
        self.driver.set_script_timeout(30)
        self.shots = pathlib.Path(shots) if shots else None
        self.base = None
        self.axe = None

    def close(self):
        try:
            self.driver.quit()
        finally:
            self.display.kill()
            self.display.wait()

    def size(self, width, height, ratio=1):
        self.driver.set_window_size(width, height)

    def media(self, theme="light", **features):
        pass

    def check_messages(self, where, allowed=()):
        pass

    def drag(self, element, start, end):
        """Drags inside an element; both are fractions of its width, at half its height."""
        box = self.run("const r = arguments[0].getBoundingClientRect(); return [r.width, r.height]", element)
        # An offset of Selenium 4 counts from the centre of the element.
        at = lambda part: (round((part - 0.5) * box[0]), 0)  # noqa: E731
        (ActionChains(self.driver, duration=50)
            .move_to_element_with_offset(element, *at(start)).click_and_hold()
            .move_to_element_with_offset(element, *at((start + end) / 2))
            .move_to_element_with_offset(element, *at(end)).release().perform())


@case
def webkit_signs_in(browser, server):
    server.device.reset(needs_sign_in=True)
    browser.open("#/now", "A token protects this logger")
    browser.fill("#token", "wrong")
    browser.click("button", "Sign in")
    browser.wait("The token is wrong")
    browser.fill("#token", "correct horse battery")
    browser.click("button", "Sign in")
    browser.wait("Destinations")


@case
def webkit_follows_the_stream(browser, server):
    server.device.reset()
    browser.open("#/now", "km/h")
    browser.until(lambda: server.device.streams, 5, "the stream does not open")
    browser.wait("live", 10)
    before = browser.run("return document.querySelector('.age, [data-key=hero]')?.innerText ?? document.body.innerText")
    browser.until(
        lambda: browser.run("return document.querySelector('.age, [data-key=hero]')?.innerText ?? document.body.innerText")
        != before, 8, "no value moves")


@case
def webkit_answers_a_tap_on_the_map(browser, server):
    server.device.reset()
    moment = day.MIDNIGHT + 7 * day.HOUR + 600000
    browser.open("#/map?at=%d" % moment, ["Keep reason", "07:10:00"])
    browser.click("button", "Close")
    browser.until(lambda: "Copy" not in browser.text(), 5, "the values of the point stay")
    box = browser.find(".map-box")[0]
    browser.run("arguments[0].scrollIntoView({block: 'center'})", box)

    # The map is centred on the point; what lies there is a point of the track or an event. Leaflet ignores a tap while
    # the map still moves, on a busy host.
    def tap():
        ActionChains(browser.driver).move_to_element(box).click().perform()
        browser.wait(["Location", "Copy", "Close"], 2)

    for _ in range(2):
        try:
            return tap()
        except Failure:
            pass
    tap()


@case
def webkit_zooms_by_the_brush_of_the_chart(browser, server):
    server.device.reset()
    browser.open("#/map", "History lookback")
    browser.until(lambda: browser.find(".chart-area"), 8, "no chart")
    area = browser.find(".chart-area")[0]
    browser.run("arguments[0].scrollIntoView({block: 'center'})", area)
    browser.drag(area, 0.3, 0.6)
    browser.wait("Whole period")
    expect(browser.find(".chart-area"), "the chart is gone")
