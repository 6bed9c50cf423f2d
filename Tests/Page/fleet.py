"""The page of a real `outrider-collector` on PostgreSQL: silent devices, hostile names, a day, ten thousand devices."""

import contextlib
import pathlib
import re
import subprocess
import time

from browser import expect
from postgres import PROGRAMS, psql, server
from selenium.webdriver.common.keys import Keys

FILES = pathlib.Path(__file__).resolve().parent.parent.parent / "Sources/Page"
HOSTILE = "<img src=x onerror=alert(1)>\u202enav"
PATH = "../a b/..?c=d&e#f%2F"
MOST = 10_000

FLEET = f"""
SELECT outrider.make_partition('location', d::date, 1), outrider.make_partition('event', d::date, 1)
  FROM generate_series(now() - interval '3 days', now() + interval '1 day', interval '1 day') d;
INSERT INTO outrider.device (name, cohort) VALUES ('van-1', 'vans'), ('van-2', 'vans'), ('{HOSTILE}', 'boats'),
  ('{PATH}', 'boats'), ('new', 'vans');
INSERT INTO outrider.device_state (device, last_seen, next_contact, last_time, latitude_e7, longitude_e7, battery_percent,
    version, queued_records, report, report_time)
  SELECT id, now(), now() + interval '1 hour', now() - interval '1 day', 525000000 + id * 90000, 134000000 + id * 90000,
    80, '1.4.0', 12, '{{"board":"<b>field-unit</b>"}}', now() FROM outrider.device WHERE name <> 'new';
UPDATE outrider.device_state SET last_seen = now() - interval '3 days', next_contact = now() - interval '2 days',
  battery_percent = 3 WHERE device = (SELECT id FROM outrider.device WHERE name = 'van-2');
UPDATE outrider.device_state SET latitude_e7 = NULL, longitude_e7 = NULL
  WHERE device = (SELECT id FROM outrider.device WHERE name = '{PATH}');
INSERT INTO outrider.location (time, record, device, latitude_e7, longitude_e7, altitude_mm, speed_mmps,
    horizontal_accuracy_mm, received_s, battery_percent, motion, fix, reasons)
  SELECT date_trunc('day', now() - interval '1 day') + make_interval(hours => 9, secs => n * 10 + CASE WHEN n > 60 THEN 600
    ELSE 0 END), n, id, 525000000 + n * 3000, 134000000 + n % 2 * 3000, 38000, 12500, 3000, 5, 80, 8, 2, 4
  FROM generate_series(1, 120) n, outrider.device WHERE name IN ('van-1', '{HOSTILE}');
INSERT INTO outrider.event (time, record, device, kind, detail, value, received_s)
  SELECT time, 200, device, 'gap', '<i>tunnel</i>', 610, 5 FROM outrider.location WHERE record = 61;
"""
MANY = f"""
INSERT INTO outrider.device (name, cohort) SELECT 'truck-' || lpad(n::text, 5, '0'), 'trucks'
  FROM generate_series(1, {MOST}) n;
INSERT INTO outrider.device_state (device, last_seen, next_contact, latitude_e7, longitude_e7, battery_percent, silent_since)
  SELECT id, now() - make_interval(days => (id % 20 = 0)::int * 2),
    now() + make_interval(hours => 1 - (id % 20 = 0)::int * 30),
    500000000 + id * 7919 % 50000000, 100000000 + id * 104729 % 50000000, id % 100, CASE WHEN id % 20 = 0 THEN now() END
  FROM outrider.device WHERE cohort = 'trucks';
ANALYZE;
"""


def check(browser, program):
    with server() as folder, collector(program, folder) as (address, token):
        browser.driver.get("about:blank")
        browser.base = address
        browser.driver.delete_all_cookies()
        for log in ("browser", "performance"):
            browser.driver.get_log(log)
        sign_in(browser, token)
        browser.wait(["Fleet", "No device is enrolled yet"])
        browser.check_layout("fleet, empty")
        browser.check_accessibility("fleet, empty")

        fault = psql(folder, "fleet", FLEET)[1]
        expect(not fault, fault)
        browser.click("button", "Load again")
        browser.wait(["All 5", "silent 1", "ok 3", "never seen 1", "battery critical"])
        for theme in ("light", "dark"):
            browser.media(theme)
            browser.open("#/fleet", ["All 5", "3 positions on the map"])
            for name, size in (("phone", (390, 844, 2)), ("narrow", (360, 640, 1)), ("desktop", (1440, 900, 1))):
                browser.size(*size)
                browser.check_layout(f"fleet, {name}")
                browser.shot(f"fleet-{name}-{theme}")
            browser.check_accessibility(f"fleet, {theme}")
        browser.media()
        browser.size(390, 844, 2)
        first = browser.find("a.device")[0]
        expect("van-2" in first.text and "silent" in first.text, f"not silent first: {first.text}")
        filters(browser)
        days(browser)
        many(browser, folder)
        browser.check_messages("fleet", allowed=("401", "404"))
        browser.click("button", "Sign out")
        browser.wait("A read token protects this collector")


def sign_in(browser, token):
    browser.open("#/fleet", "A read token protects this collector")
    browser.check_layout("fleet, sign-in")
    browser.fill("#token", "wrong")
    browser.click("button", "Sign in")
    browser.wait("The token is wrong")
    browser.fill("#token", token)
    browser.click("button", "Sign in")


def filters(browser):
    """State, cohort and name, by keyboard where it is typed."""
    browser.fill("input[type=search]", "NAV")
    browser.wait(["All 1", HOSTILE])
    browser.fill("input[type=search]", "nothing")
    browser.wait("No device matches")
    browser.fill("input[type=search]", "")
    browser.wait("All 5")
    chip = next(one for one in browser.find(".chips button") if "silent" in one.text)
    chip.send_keys(Keys.ENTER)
    browser.until(lambda: len(browser.find("a.device")) == 1, 5, "the state does not filter")
    expect(browser.run("return document.activeElement.textContent").startswith("silent"), "the focus is lost")
    browser.click(".chips button", "All")
    browser.fill(".controls select", "boats")
    browser.wait(["All 2", "no position"])
    browser.fill(".controls select", "")
    browser.wait("All 5")


def days(browser):
    """The day of a device, whatever its name."""
    for name, texts in (
        ("van-1", ["120 points", "1 gap", "<b>field-unit</b>"]),
        (HOSTILE, ["120 points", "1 gap"]),
        (PATH, ["The log has no positions yet", PATH]),
        ("new", ["The log has no positions yet", "never seen"]),
    ):
        browser.go("#/fleet", "All 5")
        browser.click("a.device", name)
        browser.wait(["All devices", *texts])
        browser.check_layout(f"fleet, {name}")
    browser.go("#/map?device=nobody", "no device of this name")
    browser.go("#/fleet", "All 5")
    browser.click("a.device", "van-1")
    browser.wait("120 points")
    for theme in ("light", "dark"):
        browser.media(theme)
        browser.check_accessibility(f"fleet, day, {theme}")
        browser.shot(f"fleet-day-{theme}")
    browser.media()
    browser.click("a.back", "All devices")
    browser.wait("All 5")


def many(browser, folder):
    """Ten thousand devices: the list has pages, and the map all positions."""
    fault = psql(folder, "fleet", MANY)[1]
    expect(not fault, fault)
    begun = time.monotonic()
    browser.open("#/fleet")
    browser.wait([f"All {MOST + 5:,}", f"{MOST + 3:,} positions", f"1–50 of {MOST + 5:,}"], 20)
    print(f"       {MOST} devices shown in {time.monotonic() - begun:.1f} s")
    browser.check_layout("fleet, many")
    browser.shot("fleet-many")
    browser.click("button", "Next")
    browser.wait("51–100 of")
    browser.fill("input[type=search]", "truck-00999")
    browser.wait(["All 1", "truck-00999"])


@contextlib.contextmanager
def collector(program, folder):
    """A collector on a new database, with its address and a read token."""
    psql(folder, "postgres", "CREATE DATABASE fleet")
    database = ["--database", f"host={folder} user=postgres dbname=fleet"]
    for words in (["init"], ["token", "read"]):
        done = subprocess.run([program, "fleet", *words, *database], capture_output=True, text=True)
        expect(done.returncode == 0, f"fleet {' '.join(words)}: {done.stderr}")
    words = [program, "serve", *database, "--listen", "127.0.0.1:0", "--page", FILES]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        match = re.search(r"127\.0\.0\.1:\d+", process.stdout.readline())
        expect(match, "the collector prints no address")
        yield f"http://{match[0]}/", done.stdout.strip()
    finally:
        process.terminate()
        process.wait()


def missing(program):
    """What the case needs and is not there; None if all is."""
    return "PostgreSQL" if PROGRAMS is None else None if program.exists() else program
