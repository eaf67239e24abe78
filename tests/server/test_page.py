"""The web page in a real browser: Debian's chromium, driven by selenium. Skips where there is none."""

from __future__ import annotations

import csv
import io
import json
import shutil
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from .conftest import LEAD, LEADS, Running, start, stop

pytest.importorskip("selenium", reason="the page's tests need selenium")
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not (BROWSER and DRIVER):
    pytest.skip("the page's tests need chromium and chromium-driver (Debian)", allow_module_level=True)

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

pytestmark = pytest.mark.slow
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1280,1000"
)


class Page:
    """A browser window on the page."""

    def __init__(self, driver: Any, url: str) -> None:
        self.driver, self.url = driver, url

    def open(self, rest: str = "/") -> None:
        self.driver.get("about:blank")
        self.driver.get(self.url + rest)

    def find(self, selector: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return self.find(selector).text

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def set(self, selector: str, value: Any) -> None:
        """Move a slider or choose from a list, as a hand would."""
        script = "arguments[0].value = arguments[1]; for (const name of ['input', 'change'])"
        self.run(
            f"{script} arguments[0].dispatchEvent(new Event(name, {{bubbles: true}}))", self.find(selector), str(value)
        )

    def wait(self, condition: Callable[[], Any], seconds: float = 60) -> Any:
        end = time.monotonic() + seconds
        while not (found := condition()):
            assert time.monotonic() < end, f"it did not happen; the page says: {self.text('main')[:500]}"
            time.sleep(0.05)
        return found

    def headline(self) -> str:
        """The headline, when there is one."""
        return self.wait(lambda: self.all("#headline .word") and self.text("#headline"))

    def new_headline(self, before: str) -> str:
        return self.wait(lambda: (now := self.text("#headline")) and now != before and now)

    def console(self) -> list[str]:
        """What the browser complained about since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def screen(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def prefer(self, scheme: str) -> None:
        given = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in given.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory, downloads: Path) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for flag in (*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    yield driver
    driver.quit()


@pytest.fixture
def page(driver: Any, server: Running) -> Iterator[Page]:
    page = Page(driver, server.url)
    page.screen(1280, 1000)
    page.prefer("light")
    page.open()
    page.run("localStorage.clear(); sessionStorage.clear()")
    page.open()
    page.console()
    page.wait(lambda: page.all("#switches input"))
    yield page
    assert page.console() == []


def test_typing_brings_a_headline_after_a_pause_and_at_once_with_ctrl_enter(page: Page, server: Running) -> None:
    page.find("#text").send_keys(LEAD)
    first = page.headline()
    _, value = server.post("/v1/headlines", {"texts": LEAD, "options": {"nbest": 4, "diversity": 0.3}})
    assert first == value["headlines"][0]["headline"]
    page.find("#text").send_keys(Keys.CONTROL, "a")
    page.find("#text").send_keys(LEADS[1], Keys.CONTROL, Keys.ENTER)
    second = page.new_headline(first)
    page.find("#text").clear()
    page.find("#text").send_keys(" ")
    page.wait(lambda: not page.find("#answer").is_displayed())
    assert first != second


def test_limits_modes_and_live_counts(page: Page) -> None:
    page.find("#text").send_keys(LEAD)
    free = page.headline()
    page.set("#limit-kind", "words")
    page.set("#limit", 5)
    short = page.new_headline(free)
    assert len(short.split()) <= 5
    assert page.text("#counts .limited") == f"{len(short.split())} of 5 words"
    page.set("#limit-kind", "bytes")
    page.set("#limit", 40)
    page.wait(lambda: f"{len(page.text('#headline').encode())} of 40 bytes" in page.text("#counts"))
    page.run("document.querySelector('input[value=extractive]').click()")
    page.wait(lambda: not page.all("#headline .new") and page.text("#working") == "")
    page.find("#reset").click()
    page.wait(lambda: page.text("#headline") == free)


def test_an_edited_headline_is_counted_as_it_is_typed(page: Page) -> None:
    page.find("#text").send_keys(LEAD)
    page.headline()
    page.set("#limit-kind", "chars")
    page.set("#limit", 30)
    page.wait(lambda: "of 30 characters" in page.text("#counts"))
    page.find("#edit").click()
    page.run("document.getElementById('edited').value = ''")
    page.find("#edited").send_keys("Brücke wird für ein halbes Jahr gesperrt")
    assert "40 of 30 characters, 10 too many" in page.text("#counts")
    assert "42 bytes" in page.text("#counts") and "7 words" in page.text("#counts")


def test_words_are_marked_and_show_where_they_come_from(page: Page, server: Running) -> None:
    page.find("#text").send_keys(LEAD)
    page.headline()
    words = page.all("#headline .word")
    assert all(set(word.get_attribute("class").split()) & {"copied", "new", "unsupported"} for word in words)
    assert page.text(".legend").split("\n") == [
        "word from the text",
        "word new, the model's own",
        "word name or number not in the text: check it",
    ]
    request = {"texts": LEAD, "options": {"nbest": 4, "diversity": 0.3}, "explain": True}
    (answer,) = server.post("/v1/headlines", request)[1]["headlines"]
    row = answer["alignment"][answer["tokens"].index(words[4].text)]
    looked_at = answer["source"][row.index(max(row))]
    webdriver.ActionChains(page.driver).move_to_element(words[4]).perform()
    lit = "return [...document.querySelectorAll('#read [data-word]')].filter((each) => "
    lit += "Number(each.style.getPropertyValue('--weight')) > 0.9).map((each) => each.textContent)"
    page.wait(lambda: looked_at in page.run(lit))
    webdriver.ActionChains(page.driver).move_to_element(page.find("h1")).perform()
    page.wait(lambda: page.run(lit) == [])
    page.run("document.querySelector('#headline .word').focus()")
    page.find("#headline .word").send_keys(Keys.ARROW_RIGHT)
    assert page.run("return document.activeElement.textContent") == words[1].text


def test_candidates_and_the_heat_map(page: Page) -> None:
    page.set("#nbest", 3)
    page.find("#text").send_keys(LEAD)
    best = page.headline()
    page.wait(lambda: len(page.all(".candidate")) == 3)
    page.all(".candidate input")[1].click()
    other = page.new_headline(best)
    assert page.all(".candidate > span:first-of-type")[1].text.split(" check:")[0] == other
    page.find("#map-details summary").click()
    page.wait(lambda: page.all("#map rect"))
    words, columns = len(page.all("#map rect")), len(page.all("#read [data-word]"))
    assert words % columns == 0 and words // columns >= len(page.all("#headline .word"))


def test_a_link_holds_text_and_options(page: Page) -> None:
    page.find("#text").send_keys("Ä „quoted“ & odd text: " + LEAD)
    page.set("#limit-kind", "words")
    page.set("#limit", 6)
    before = page.headline()
    page.wait(lambda: "6 words" in page.text("#counts") and len(page.text("#headline").split()) <= 6)
    before = page.text("#headline")
    address = page.driver.current_url
    assert "#text=" in address
    page.driver.get("about:blank")
    page.driver.get(address)
    assert page.headline() == before
    assert page.find("#text").get_attribute("value").startswith("Ä „quoted“ & odd")
    assert page.text("#limit-value") == "6 words"


def test_a_paste_of_ten_thousand_characters(page: Page) -> None:
    text = (LEAD + " ") * 95
    assert len(text) > 10_000
    page.run("const field = document.getElementById('text'); field.value = arguments[0];", text)
    page.find("#text").send_keys("x")
    page.headline()
    page.wait(lambda: "sentence" in page.text("#notes"))
    assert page.find("#read .unread").text.endswith("…")


def upload(page: Page, path: Path) -> None:
    page.find("#file").send_keys(str(path))
    page.wait(lambda: page.text("#file-facts"))


def fetch(page: Page, downloads: Path, name: str) -> str:
    page.find("#start").click()
    page.wait(lambda: page.find("#download").is_displayed(), 120)
    page.find("#download").click()
    path = downloads / name
    page.wait(path.is_file)
    text = path.read_text(encoding="utf-8")
    path.unlink()
    return text


def test_a_csv_comes_back_with_headlines(page: Page, tmp_path: Path, downloads: Path, server: Running) -> None:
    path = tmp_path / "mine.csv"
    rows = [[str(i), lead, 'a "quoted", cell'] for i, lead in enumerate([*LEADS, "two\nlines of " + LEAD])]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["no", "lead", "note"], *rows])
    upload(page, path)
    assert page.text("#file-facts") == "mine.csv: 5 rows"
    assert page.find("#column").get_attribute("value") == "lead"
    text = fetch(page, downloads, "mine.headlines.csv")
    head, *back = list(csv.reader(io.StringIO(text, newline="")))
    assert head == ["no", "lead", "note", "headline"] and [row[:3] for row in back] == rows
    _, value = server.post("/v1/headlines", {"texts": [row[1] for row in rows]})
    assert [row[3] for row in back] == [each["headline"] for each in value["headlines"]]
    assert "5 of 5 texts" in page.text("#progress-text")


def test_a_jsonl_comes_back_with_headlines(page: Page, tmp_path: Path, downloads: Path) -> None:
    path = tmp_path / "mine.jsonl"
    rows = [{"id": 12345678901234567890 + i, "body": lead, "tags": ["a", None]} for i, lead in enumerate(LEADS)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    upload(page, path)
    back = [json.loads(line) for line in fetch(page, downloads, "mine.headlines.jsonl").splitlines()]
    assert all(row.pop("headline") for row in back) and back == rows


def test_a_file_of_excel_stays_one(page: Page, tmp_path: Path, downloads: Path) -> None:
    path = tmp_path / "excel.csv"
    path.write_bytes(f"\ufefflead,Ort\r\n{LEADS[2]},Köln\r\n".encode())
    upload(page, path)
    assert page.text("#file-facts") == "excel.csv: 1 row"
    page.find("#start").click()
    page.wait(lambda: page.find("#download").is_displayed(), 120)
    page.find("#download").click()
    page.wait((downloads / "excel.headlines.csv").is_file)
    back = (downloads / "excel.headlines.csv").read_bytes()
    assert back.startswith("\ufefflead,Ort,headline\r\n".encode()) and back.count(b"\r\n") == 2


def test_files_that_cannot_be_used_get_a_sentence(page: Page, tmp_path: Path) -> None:
    for name, content, sentence in (
        ("a.docx", "x", "The file's name must end in"),
        ("b.jsonl", '{"a": "x"}\n[1]\n', "Line 2 is not a JSON object."),
        ("c.csv", "a,b\n1\n", "Row 2 has 1 fields, the first row 2."),
        ("d.csv", "", "The file is empty."),
        ("e.csv", "id;lead\n1;x\n", "Its cells seem to be separated by semicolons"),
        ("f.csv", "id,lead\n1,Caf\u00e9\n", "It is not UTF-8. Save it as UTF-8"),
    ):
        (tmp_path / name).write_text(content, encoding="latin-1")
        page.find("#file").send_keys(str(tmp_path / name))
        page.wait(lambda: sentence in page.text("#file-facts"))  # noqa: B023
        assert not page.find("#start").is_enabled()


def test_examples_work_and_nothing_comes_from_elsewhere(page: Page) -> None:
    for button in page.all("#examples button")[:2]:
        before = page.text("#headline") if page.all("#headline .word") else ""
        button.click()
        page.new_headline(before)
    names = page.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert names and all(name.startswith(page.url) for name in names)


def test_a_phone(page: Page) -> None:
    page.screen(360, 740)
    page.find("#text").send_keys(LEAD)
    page.headline()
    page.find("#map-details summary").click()
    page.wait(lambda: page.all("#map rect"))
    assert page.run("return document.documentElement.scrollWidth") <= 360
    order = [page.find(f"#{name}").rect["y"] for name in ("text-card", "result", "options-card", "file-section")]
    assert order == sorted(order)


def test_dark_mode_follows_the_system_and_the_button(page: Page) -> None:
    def brightness() -> int:
        color = page.run("return getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in color[color.index("(") + 1 : -1].split(",")[:3])

    assert brightness() > 600
    page.prefer("dark")
    page.open()
    assert brightness() < 150
    page.find("#theme").click()
    assert brightness() > 600
    page.open()
    assert brightness() > 600


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/", "/docs"])
def test_axe_finds_no_fault(page: Page, scheme: str, path: str) -> None:
    if not (found := find_spec("axe_core_python")):
        pytest.skip("the accessibility check needs axe-core-python")
    page.prefer(scheme)
    page.open(path)
    if path == "/":
        page.find("#text").send_keys(LEAD)
        page.headline()
        for details in page.all("details summary"):
            details.click()
        page.set("#limit-kind", "words")
        page.wait(lambda: page.all("#counts .limited"))
        page.run("for (const each of document.querySelectorAll('#job, #progress, #cancel')) each.hidden = false")
    source = Path(next(iter(found.submodule_search_locations or []))) / "axe.min.js"
    page.run(source.read_text(encoding="utf-8"))
    report = page.driver.execute_async_script("axe.run().then(arguments[0])")
    problems = [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in report["violations"]]
    assert problems == [] and len(report["passes"]) > 15


def test_a_server_that_is_down_is_waited_for(driver: Any) -> None:
    running = start("--model", "abs", "--workers", "1")
    page = Page(driver, running.url)
    page.open()
    page.find("#text").send_keys(LEAD)
    first = page.headline()
    stop(running)
    page.find("#text").send_keys(" " + LEADS[1])
    page.wait(lambda: "The server does not answer. Your text is kept" in page.text("#notice"))
    again = start("--model", "abs", "--workers", "1", "--port", running.url.rsplit(":", 1)[1])
    try:
        page.wait(lambda: not page.find("#notice").is_displayed())
        assert page.headline() and first
    finally:
        stop(again)
    page.console()


def test_a_busy_server_and_a_key_are_kind(driver: Any, starting: Callable[..., Running]) -> None:
    running = starting("--workers", "1", "--rate", "0.05", "--api-key", "opensesame")
    page = Page(driver, running.url)
    page.open()
    page.wait(lambda: page.find("#key-form").is_displayed())
    page.find("#key").send_keys("opensesame", Keys.ENTER)
    page.wait(lambda: page.all("#switches input"))
    page.find("#text").send_keys(LEAD)
    page.headline()
    page.find("#text").send_keys(" More.")
    page.wait(lambda: "More." in page.text("#read") or page.find("#notice").is_displayed())
    page.find("#text").send_keys(" And more.")
    page.wait(lambda: "The server is busy just now. Trying again in" in page.text("#notice"))
    assert page.headline()
    page.console()
