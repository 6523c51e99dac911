"""The report as people meet it: loaded from disk in a real browser, by day, by night, small and in print."""

from __future__ import annotations

import base64
import csv
import json
import os
import re
import shutil
import time
from pathlib import Path

import axe_core_python
import pytest
from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from lab import charts
from lab.report import specs
from lab.report.build import build, data, script
from lab.report.build import page as page_of
from lab.results import RECORDED, Results
from lab.studies import NAMES, study

DESKTOP, PHONE = (1280, 900), (390, 844)
FIGURES = [f"{name}-chart-{figure.id}" for name in NAMES for figure in study(name).figures]
CLAIMS = [f"{name}-{claim}" for name in NAMES for claim in study(name).claims]

pytestmark = pytest.mark.skipif(not NAMES, reason="no study is there yet")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The report of the committed results."""
    path = tmp_path_factory.mktemp("report") / "index.html"
    build(RECORDED, path)
    return path


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The browser's folder for saved files."""
    return tmp_path_factory.mktemp("saved")


@pytest.fixture(scope="module")
def browser(saved):
    """Chromium without a window; as root it cannot have its sandbox."""
    options = Options()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                     *(["--no-sandbox"] if os.geteuid() == 0 else [])):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"download.default_directory": str(saved), "profile.default_content_setting_values.automatic_downloads": 1})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def opened(browser, page):
    """The report, loaded from disk, all charts drawn."""
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": DESKTOP[0], "height": DESKTOP[1], "deviceScaleFactor": 1, "mobile": False})
    browser.get(page.as_uri())
    drawn(browser)
    return browser


def drawn(browser):
    """Wait until every chart is drawn for the room there is now."""
    until(lambda: browser.execute_script("return document.documentElement.dataset.drawn") == str(len(FIGURES)), "all charts drawn")


def until(true, what, seconds=90):
    """Wait for something."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"after {seconds} s not yet: {what}"
        time.sleep(0.05)


def look(browser, size, scheme="light"):
    """At another screen, or the same by night. Charts are drawn anew where the width is another, which takes seconds: so rarely."""
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    if browser.execute_script("return innerWidth") != size[0]:
        browser.execute_script("delete document.documentElement.dataset.drawn")
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE})
        browser.execute_script("dispatchEvent(new Event('resize'))")
        drawn(browser)


def follow(browser, target):
    """A link within the page."""
    browser.execute_script("location.hash = arguments[0]", target)
    until(lambda: browser.find_element(By.ID, target).is_displayed(), f"{target} is shown")


def test_one_file_of_bearable_size(page):
    assert page.stat().st_size < 8 << 20
    assert [path.name for path in page.parent.iterdir()] == ["index.html"]
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page.read_text("utf-8"))


def test_loads_from_disk_without_errors_or_requests(opened, page):
    complaints = [entry for entry in opened.get_log("browser") if entry["level"] != "INFO"]
    assert not complaints
    events = [json.loads(entry["message"])["message"] for entry in opened.get_log("performance")]
    asked = {event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"}
    assert page.as_uri() in asked
    assert {url for url in asked if not url.startswith(("data:", "blob:"))} == {page.as_uri()}


def test_keyboard_reaches_the_content_and_the_buttons(opened):
    """Before anything else has the focus."""
    ActionChains(opened).send_keys(Keys.TAB).perform()
    skip = opened.switch_to.active_element
    assert skip.get_attribute("class") == "skip" and skip.location["x"] >= 0
    skip.send_keys(Keys.ENTER)
    assert opened.switch_to.active_element.get_attribute("id") == "content"
    buttons = opened.find_elements(By.CSS_SELECTOR, ".chart button")
    assert len(buttons) == 3 * len(FIGURES)
    assert all(button.text or button.get_attribute("textContent") for button in buttons)


@pytest.mark.parametrize("name", NAMES)
def test_charts_are_drawn_and_not_blank(opened, name):
    follow(opened, name)
    found = opened.execute_script("""
        return Object.fromEntries([...document.querySelectorAll(".page.shown .chart")].map((figure) => [figure.id, {
            label: figure.querySelector(".view").ariaLabel.length,
            marks: [...figure.querySelectorAll("svg .role-mark :is(path, image, text, line, rect)")]
                .map((mark) => mark.getBBox()).filter((box) => box.width > 0.5 || box.height > 0.5).length}]))""")
    assert sorted(found) == sorted(figure for figure in FIGURES if figure.startswith(f"{name}-"))
    assert [figure for figure, seen in found.items() if not seen["marks"] or seen["label"] <= 30] == []


def test_every_claim_has_a_row_and_its_link_leads_there(opened):
    assert opened.execute_script("return [...document.querySelectorAll('#claims tbody a')].map((link) => link.hash.slice(1))") == CLAIMS


def test_every_claim_has_paper_and_ours_side_by_side(opened):
    """Always in words; and each numbered table and figure has a separate table of pairs, chart or
    drawing."""
    found = opened.execute_script("""
        return Object.fromEntries([...document.querySelectorAll("article")].map((each) => [each.id, {
            words: [...each.querySelectorAll(".sides > div")].map((side) => side.textContent.trim().length),
            pairs: each.querySelectorAll(".pairs td .was").length, whole: [...each.querySelectorAll(".pairs td")].every((cell) => cell.querySelector(".was") && cell.querySelector(".now")),
            pictures: each.querySelectorAll(".chart, .diagram").length}]))""")
    assert sorted(found) == sorted(CLAIMS)
    for claim, seen in found.items():
        assert len(seen["words"]) == 2 and min(seen["words"]) > 15, claim
        assert seen["whole"], claim
    numbered = [f"{name}-{claim.id}" for name in NAMES for claim in study(name).claims.values() if claim.numbered]
    assert len(numbered) >= 67
    assert [claim for claim in numbered if not found[claim]["pairs"] + found[claim]["pictures"]] == []


def test_numbers_are_for_people(opened):
    text = opened.execute_script("""
        const copy = document.getElementById("content").cloneNode(true);
        for (const each of copy.querySelectorAll("code, pre, script, svg")) each.remove();
        return copy.textContent""")
    assert not re.search(r"\d(\.\d+)?e[+-]\d", text), re.search(r".{40}\d(\.\d+)?e[+-]\d.{20}", text)
    assert not re.search(r"\d\^-?\d", text), re.search(r".{40}\d\^-?\d", text)
    drawn_texts = opened.execute_script("return [...document.querySelectorAll('.view svg text')].map((text) => text.textContent)")
    assert [each for each in drawn_texts if re.search(r"\d(\.\d+)?e[+-]\d|\d\^\d", each)] == []
    heads = opened.execute_script("return [...document.querySelectorAll('th')].map((head) => head.textContent)")
    assert [head for head in heads if re.search(r"[a-z]_[a-z]{2}|_(us|ms|ns|s)$", head)] == []


def test_claims_can_be_filtered_and_sorted(opened):
    follow(opened, "claims")
    words = opened.find_element(By.NAME, "words")
    words.send_keys("double swap")
    rows = "return [...document.querySelectorAll('.claims tbody tr')].filter((row) => !row.hidden).map((row) => row.textContent.toLowerCase())"
    shown = opened.execute_script(rows)
    assert 0 < len(shown) < len(CLAIMS) and all("double" in row and "swap" in row for row in shown)
    assert opened.find_element(By.CSS_SELECTOR, ".filter output").text == f"{len(shown)} of {len(CLAIMS)}"
    words.send_keys(Keys.CONTROL, "a", Keys.DELETE)
    head = opened.find_element(By.CSS_SELECTOR, "[data-sort='4']")
    verdicts = "return [...document.querySelectorAll('.claims tbody tr')].map((row) => row.dataset.verdict)"
    head.send_keys(Keys.ENTER)
    up = opened.execute_script(verdicts)
    head.send_keys(Keys.ENTER)
    assert opened.execute_script(verdicts) == sorted(up, reverse=True) != up
    opened.execute_script("document.querySelector(\"[data-sort='0']\").click()")


# Pairs of texts of one chart or drawing that lie over each other by more than a hair, and texts that leave it.
COLLISIONS = """
    const found = [];
    for (const svg of document.querySelectorAll(".page.shown :is(.view, .drawing) svg")) {
        const frame = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim() && getComputedStyle(text).opacity !== "0")
            .map((text) => [text.textContent, text.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
        const id = svg.closest("figure").id;
        for (const [text, box] of texts)
            if (box.left < frame.left - 1.5 || box.right > frame.right + 1.5) found.push(`${id}: "${text}" leaves the chart`);
        if (svg.closest(".view")) for (const [text] of texts) if (text.endsWith("…")) found.push(`${id}: "${text}" is cut short`);
        for (const [at, [text, box]] of texts.entries())
            for (const [other, over] of texts.slice(at + 1)) {
                const wide = Math.min(box.right, over.right) - Math.max(box.left, over.left);
                const high = Math.min(box.bottom, over.bottom) - Math.max(box.top, over.top);
                if (wide > 2 && high > 4) found.push(`${id}: "${text}" and "${other}"`);
            }
    }
    return found"""
# Charts whose letters are made smaller than can be read, and marks that lie beside the panel they belong to.
CHARTS = """
    const found = [];
    for (const svg of document.querySelectorAll(".page.shown .view svg")) {
        const id = svg.closest("figure").id;
        const scale = svg.getBoundingClientRect().width / Number(svg.getAttribute("width"));
        const small = Math.min(...[...svg.querySelectorAll("text")].map((text) => scale * parseFloat(getComputedStyle(text).fontSize)));
        if (small < 9) found.push(`${id}: letters of ${small.toFixed(1)} pixels`);
        for (const panel of svg.querySelectorAll("g.mark-group:is(.role-frame, .role-scope) > g")) {
            const frame = panel.querySelector(":scope > path.background")?.getBoundingClientRect();
            for (const mark of frame?.width ? panel.querySelectorAll(":scope > g > .role-mark:not(.mark-text) > *, :scope > g > g > .role-mark:not(.mark-text) > *") : []) {
                const box = mark.getBoundingClientRect();
                if (box.width && mark.closest("g.mark-group") === panel.parentElement && (box.left < frame.left - 12 || box.right > frame.right + 12))
                    found.push(`${id}: a mark at ${Math.round(box.left - frame.left)} of ${Math.round(frame.width)} pixels`);
            }
        }
    }
    return [...new Set(found)]"""
# Boxes in sight that hold more than they are wide; charts and drawings aside, none is made to scroll.
SPILLS = """
    return [...document.querySelectorAll(".page.shown :is(p, li, h1, h2, h3, td, th, figcaption, summary, .scroll:not(.drawing, details *), .sides > div, .cards a)")]
        .filter((each) => each.clientWidth && each.scrollWidth > each.clientWidth + 1)
        .map((each) => `${each.closest("[id]").id}: ${each.tagName} ${each.textContent.trim().slice(0, 40)}`)"""
# Marks of charts and drawings that keep by night a colour made for the day.
BY_DAY = """
    const colour = (name) => Object.assign(document.createElement("i").style, { color: name }).color;
    return arguments[0].flatMap((day) => ["fill", "stroke"].flatMap((part) =>
        [...document.querySelectorAll(`.page.shown :is(.view, .drawing) [${part}="${day}" i]`)]
            .filter((mark) => getComputedStyle(mark)[part] === colour(day)).map((mark) => `${mark.closest("figure").id}: ${part} ${day}`)))"""
# The link of the page that is open, if the navigation hides it.
LOST = """
    const link = document.querySelector("header nav [aria-current]")?.getBoundingClientRect();
    return link !== undefined && (link.left < 0 || link.right > innerWidth)"""
# Finds elements right of the page's edge (A4 without its margins, in pixels of CSS), and elements
# that a page break cuts. Tables, charts and drawings that are lower than a page must be whole.
CUT = """
    document.body.style.width = "688px";
    const edge = document.body.getBoundingClientRect().right + 1;
    const found = [...document.querySelectorAll("main :is(p, li, h1, h2, table, figure, svg, img, pre, .sides > div)")]
        .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > edge)
        .map((each) => `${each.closest("[id]").id}: ${each.tagName} ${Math.round(each.getBoundingClientRect().right - edge)}`);
    for (const each of document.querySelectorAll("main :is(.beside, .chart, .diagram, .sides)"))
        if (getComputedStyle(each).breakInside !== "avoid" || each.getBoundingClientRect().height > 1008) found.push(`${each.closest("[id]").id}: cut by a page break`);
    for (const each of document.querySelectorAll("main :is(h2, h3, .sides:has(+ figure))"))
        if (getComputedStyle(each).breakAfter !== "avoid") found.push(`${each.closest("[id]").id}: ${each.tagName} alone at the foot of a page`);
    document.body.style.width = "";
    return found"""


# The other pages are taken out meanwhile, for they would cost minutes; charts are pictures with a label.
AXE = """
    const done = arguments[arguments.length - 1];
    const main = document.getElementById("content");
    const all = [...main.children];
    for (const page of document.querySelectorAll(".page:not(.shown)")) page.remove();
    axe.run({ include: [["body"]], exclude: [[".view svg"]] }, { runOnly: arguments[0], resultTypes: ["violations"] })
        .then((results) => results.violations.map((each) => `${each.id}: ${each.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(" | ")}`),
              (error) => [String(error)])
        .then((found) => { main.append(...all); done(found); })"""


@pytest.mark.parametrize(("scheme", "rules"), [("light", ["wcag2a", "wcag2aa", "best-practice"]), ("dark", ["color-contrast"])], ids=["light", "dark"])
def test_axe_finds_nothing(opened, scheme, rules):
    """Names, landmarks, heads of tables, contrast of WCAG AA: what the engine axe can judge. By night only colours are others."""
    look(opened, DESKTOP, scheme)
    opened.set_script_timeout(60)
    opened.execute_script((Path(axe_core_python.__file__).parent / "axe.min.js").read_text("utf-8"))
    for target in ("front", NAMES[2], "claims"):
        follow(opened, target)
        found = opened.execute_async_script(AXE, rules)
        assert found == [], target


def scales(node):
    """Each name of a chart and its colour."""
    if isinstance(node, dict):
        if isinstance(node.get("domain"), list) and isinstance(node.get("range"), list):
            yield from zip(node["domain"], node["range"], strict=False)
        node = list(node.values())
    for inner in node if isinstance(node, list) else ():
        yield from scales(inner)


def marks(node, data=None):
    """Each mark of a chart that has one colour, and the name of the data it shows."""
    if isinstance(node, dict):
        data = (node.get("data") or {}).get("name", data)
        if isinstance(node.get("mark"), dict) and "color" in node["mark"]:
            yield node["mark"]["color"], data
        node = list(node.values())
    for inner in node if isinstance(node, list) else ():
        yield from marks(inner, data)


def test_colours_have_one_meaning(page):
    """Every colour of a chart is one of the list, and has its own for the night; orange is the paper's, and nothing of ours."""
    known = {colour.lower() for colour in (*charts.NIGHT, *charts.NIGHT.values(), *charts.PALETTE, *charts.SCALE, *charts.SHADES, "#DCEBF5", "#EEEEEE", "#000", "#000000", "#888", "#ffffff")}
    seen = set()
    for spec in re.findall(r'<script type="application/json">(.*?)</script>', page.read_text("utf-8"), re.DOTALL):
        found = json.loads(spec)
        rows = found.pop("datasets", {})
        used = set(re.findall(r'"(#[0-9A-Fa-f]{3,6})"', json.dumps(found)))
        assert {colour.lower() for colour in used} <= known
        for name, colour in scales(found):
            if str(name).startswith("paper"):
                assert colour == charts.PAPER, name
            elif str(name).startswith("our"):
                assert colour != charts.PAPER, name
        for colour, shown in marks(found):
            sources = {row["source"] for row in rows.get(shown, []) if "source" in row}
            if sources in ({"paper"}, {"ours"}, {"rebuilt"}):
                seen |= sources
                assert (colour == charts.PAPER) == (sources == {"paper"}), (sources, colour)
    assert seen == {"paper", "ours", "rebuilt"}


def test_links_lead_to_what_exists(opened):
    dead = opened.execute_script("""
        return [...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href"))
            .filter((href) => !href.startsWith("#") || !document.getElementById(href.slice(1)))""")
    # The page that `make page` writes, beside a report that names it.
    assert dead == ["../page/index.html"]
    twice = opened.execute_script("""
        const ids = [...document.querySelectorAll("[id]")].filter((each) => !each.closest("svg")).map((each) => each.id);
        return ids.filter((id, n) => ids.indexOf(id) !== n)""")
    assert twice == []


def test_a_link_shows_its_page_alone(opened):
    for target in ("front", *NAMES, "claims", CLAIMS[-1]):
        follow(opened, target)
        shown = [each for each in opened.find_elements(By.CSS_SELECTOR, ".page") if each.is_displayed()]
        assert len(shown) == 1
        assert opened.execute_script("return arguments[0].contains(document.getElementById(arguments[1]))", shown[0], target)


@pytest.mark.parametrize("kind", ["svg", "png", "csv"])
def test_a_chart_can_be_saved(opened, saved, kind):
    figure = FIGURES[0]
    follow(opened, figure)
    button = opened.find_element(By.CSS_SELECTOR, f"#{figure} [data-save={kind}]")
    button.send_keys(Keys.ENTER)
    path = saved / f"{figure}.{kind}"
    until(path.exists, f"{path.name} saved", 10)
    data = path.read_bytes()
    match kind:
        case "svg":
            assert data.startswith(b"<svg") and b"currentColor" not in data
        case "png":
            assert data.startswith(b"\x89PNG") and len(data) > 5000
        case "csv":
            head, *body = csv.reader(data.decode().splitlines())
            assert body and all(len(row) == len(head) for row in body)


def test_data_of_a_chart_can_be_read_as_a_table(opened):
    follow(opened, FIGURES[0])
    details = opened.find_element(By.CSS_SELECTOR, f"#{FIGURES[0]} .data")
    opened.execute_script("arguments[0].open = true", details)
    until(lambda: len(details.find_elements(By.TAG_NAME, "td")) > 3, "the table is there")


def test_prints_every_page_with_its_charts(opened, tmp_path):
    look(opened, DESKTOP, "dark")
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert opened.execute_script(CUT) == []
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    done = opened.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    data = base64.b64decode(done["data"])
    (Path(os.environ.get("ARCFOUR_SCREENSHOTS", tmp_path)) / "report.pdf").write_bytes(data)
    assert data.startswith(b"%PDF")
    pages = [tuple(float(side) for side in box.split()) for box in re.findall(rb"/MediaBox\s*\[0 0 ([\d. ]+)\]", data)]
    assert pages and all(abs(width - 595) < 2 and abs(height - 842) < 2 for width, height in pages), "A4"
    assert len(re.findall(rb"/Type\s*/Page\b", data)) > 2 * len(NAMES)


def test_a_text_twice_in_one_place_is_found(opened):
    """The look for collisions sees one."""
    follow(opened, NAMES[0])
    opened.execute_script("""
        const text = document.querySelector(".page.shown .view svg text");
        window.doubled = text.cloneNode(true); text.after(window.doubled)""")
    assert opened.execute_script(COLLISIONS)
    opened.execute_script("window.doubled.remove()")


# Charts in sight whose narrowest plot has fewer pixels than this; pictures, and charts that are made to scroll, aside.
LEAST = 200
PLOTS = """
    const width = (plot) => plot.getBoundingClientRect().width;
    const plots = (svg) => [...svg.querySelectorAll(".role-scope:not(.role-legend *) > g > path.background")];
    return charts.filter((chart) => !chart.spec.usermeta?.scroll && chart.box.checkVisibility() && chart.box.querySelector(".role-axis"))
        .map((chart) => [chart.figure.id, chart.box.querySelector("svg")])
        .map(([id, svg]) => [id, Math.round(Math.min(...(plots(svg).length ? plots(svg) : [...svg.querySelectorAll(".role-frame > g > path.background")]).map(width)))])
        .filter(([, least]) => least < arguments[0])"""


# Last, and the phone last of all: each width has every chart drawn anew.
@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "dark"), (PHONE, "light")],
                         ids=["desktop-light", "desktop-dark", "phone-dark", "phone-light"])
def test_fits_the_screen_and_can_be_read(opened, tmp_path, size, scheme):
    """Nothing lies over another, spills, or is wider than the screen; what is written in a chart stands out from the page."""
    look(opened, size, scheme)
    for target in ("front", *NAMES, "claims"):
        follow(opened, target)
        if scheme == "light":  # by night all stands where it stood
            assert opened.execute_script(COLLISIONS) == []
            assert opened.execute_script(SPILLS) == []
            assert opened.execute_script(CHARTS) == []
            assert size != PHONE or opened.execute_script(PLOTS, LEAST) == []
        if scheme == "dark":
            assert opened.execute_script(BY_DAY, list(charts.NIGHT)) == []
        assert not opened.execute_script(LOST), f"the navigation hides {target}"
        wide = opened.execute_script("return document.documentElement.scrollWidth")
        assert wide <= size[0], f"{target} is {wide} pixels wide"
        keep(opened, tmp_path, f"{target}-{scheme}-{size[0]}")
    ink, paper = opened.execute_script("const style = getComputedStyle(document.body); return [style.color, style.backgroundColor]")
    assert abs(luminance(ink) - luminance(paper)) > 0.6
    labels = opened.execute_script("""
        return [...new Set([...document.querySelectorAll(".view .role-axis-label text, .view .role-legend-label text")]
            .map((label) => getComputedStyle(label).fill))]""")
    assert all(abs(luminance(label) - luminance(paper)) > 0.6 for label in labels)


def luminance(colour):
    """0 for black, 1 for white, of `rgb(r, g, b)`."""
    red, green, blue = (int(word) / 255 for word in re.findall(r"\d+", colour)[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def keep(browser, folder, name):
    """A screenshot of the whole page, kept where ARCFOUR_SCREENSHOTS says, to be looked at."""
    picture = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": False})
    folder = os.environ.get("ARCFOUR_SCREENSHOTS", folder)
    data = base64.b64decode(picture["data"])
    (Path(folder) / f"{name}.png").write_bytes(data)
    assert len(data) > 10_000


def test_quick_runs_are_called_so(tmp_path, monkeypatch):
    """At the head, and beside the verdicts that rest on them: those alone."""
    shutil.copytree(RECORDED / "search", tmp_path / "search")
    monkeypatch.setattr("lab.report.build.NAMES", ("search",))
    assert "quick run" not in page_of(tmp_path)
    path = tmp_path / "search" / "hashcat.json"
    path.write_text(path.read_text("utf-8").replace('"full": true', '"full": false'), "utf-8")
    text = page_of(tmp_path)
    assert "<strong>These are quick runs.</strong> 1 of 5 verdicts" in text
    said = {claim: "Here, in a quick run" in article for claim, article in re.findall(r'<article id="search-([^"]*)">(.*?)</article>', text, re.DOTALL)}
    assert [claim for claim, quick in said.items() if quick] == ["hashcat"] and len(said) == 5


def test_the_title_of_a_chart_says_that_its_run_was_quick():
    chart = next(figure for figure in study("search").figures if figure.id == "costs").draw(Results("search"))
    assert "subtitle" not in specs.spec(chart, "")["title"]
    assert specs.spec(chart, "", quick=True)["title"] == {**specs.spec(chart, "")["title"], "subtitle": specs.QUICK}


def test_no_data_ends_a_script():
    assert "<" not in data({"name": "</script><!--"})
    with pytest.raises(ValueError, match="tag"):
        script("let end = '</SCRIPT>'")
