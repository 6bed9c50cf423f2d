"""Chromium without a window, and what the tests look at: text, layout, console, requests, accessibility."""

import json
import pathlib
import time

from selenium import webdriver
from selenium.common.exceptions import JavascriptException, StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

HERE = pathlib.Path(__file__).resolve().parent
LAYOUT = (HERE / "layout.js").read_text()
AXE_PLACES = [
    HERE / "axe.min.js",
    HERE.parent.parent / ".build/page/axe.min.js",
    pathlib.Path("/usr/share/outrider-tests/axe.min.js"),
]


class Failure(Exception):
    """A promise of the page that does not hold."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Browser:
    def __init__(self, shots=None):
        options = Options()
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-first-run",
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(30)
        self.shots = pathlib.Path(shots) if shots else None
        self.base = None
        self.axe = next((place.read_text() for place in AXE_PLACES if place.exists()), None)
        self.expected_messages = ()

    def close(self):
        self.driver.quit()

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def size(self, width, height, ratio=1):
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=ratio,
            mobile=width < 600,
        )

    def media(self, theme="light", **features):
        values = {
            "prefers-color-scheme": theme,
            **{name.replace("_", "-"): value for name, value in features.items()},
        }
        self.command(
            "Emulation.setEmulatedMedia", features=[{"name": name, "value": value} for name, value in values.items()]
        )

    def open(self, route, text=None):
        """Loads the page anew at a route, and waits for a text."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.base}{route}")
        if text:
            self.wait(text)

    def go(self, route, text=None):
        """Changes the route without loading."""
        self.run(f"location.hash = {json.dumps(route.lstrip('#'))}")
        if text:
            self.wait(text)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def text(self):
        return self.run(
            "return document.body.innerText + ' ' + [...document.querySelectorAll('dialog[open]')].map(d => d.innerText).join(' ')"
        )

    def wait(self, text, seconds=6):
        """Waits until a text, or every text of a list, is shown. Case and line breaks do not count."""
        wanted = [text] if isinstance(text, str) else list(text)
        self.until(
            lambda: all(flat(one) in flat(self.text()) for one in wanted),
            seconds,
            lambda: f"not shown: {[one for one in wanted if flat(one) not in flat(self.text())]}; shown: {self.text()[:400]!r}",
        )

    def until(self, condition, seconds, explain):
        end = time.monotonic() + seconds
        while True:
            try:
                if condition():
                    return
            except (JavascriptException, StaleElementReferenceException, IndexError):
                pass
            if time.monotonic() > end:
                raise Failure(explain() if callable(explain) else explain)
            time.sleep(0.05)

    def find(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector, text=None):
        """Clicks the first element of a selector, or the one with a text."""

        def target():
            return next(
                (
                    one
                    for one in self.find(selector)
                    if text is None or text in (one.text or one.get_attribute("aria-label") or "")
                ),
                None,
            )

        self.until(lambda: target() is not None, 5, f"no {selector} {text or ''}")
        self.run("arguments[0].scrollIntoView({block: 'center'}); arguments[0].click()", target())

    def fill(self, selector, value):
        self.until(lambda: self.find(selector), 5, f"no {selector}")
        self.run(
            "const e = arguments[0]; e.focus(); e.value = arguments[1]; e.dispatchEvent(new Event('input', {bubbles: true}));"
            "e.dispatchEvent(new Event('change', {bubbles: true}))",
            self.find(selector)[0],
            value,
        )

    def shot(self, name):
        if self.shots:
            self.shots.mkdir(parents=True, exist_ok=True)
            (self.shots / f"{name}.png").write_bytes(self.driver.get_screenshot_as_png())

    def check_layout(self, where):
        problems = self.run(LAYOUT)
        expect(not problems, f"{where}: " + "; ".join(problems[:6]))

    def check_accessibility(self, where):
        """axe finds no violation of WCAG 2.2 A and AA. Does nothing if axe is not installed."""
        if not self.axe:
            return
        if not self.run("return typeof axe === 'object'"):
            self.run(self.axe)
        found = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})"
            ".then(result => done(result.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 140) + ' ' "
            "+ (n.any[0]?.message ?? n.all[0]?.message ?? n.none[0]?.message ?? '')).join(' | '))), error => done(['' + error]))"
        )
        expect(not found, f"{where}: " + "; ".join(found))

    def check_messages(self, where, allowed=(), origins=()):
        """No message in the console, and no request to another origin than these, since the last call."""
        rows = [row["message"] for row in self.driver.get_log("browser")]
        rows = [row for row in rows if not any(part in row for part in allowed)]
        expect(not rows, f"{where}: console: {rows[:3]}")
        for row in self.driver.get_log("performance"):
            message = json.loads(row["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"]
                expect(address.startswith((self.base, "data:", "about:", "blob:", *origins)), f"{where}: request to {address}")


def flat(text):
    return " ".join(text.split()).lower()
