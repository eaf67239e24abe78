"""Takes the documentation's pictures of the web page: light, dark and on a phone.

    python scripts/screenshots.py [FOLDER]     # docs/ without it; needs chromium, chromium-driver and selenium

The page is opened on a server of its own with the default model, an example is clicked and a word pointed at.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FLAGS = "--headless=new --no-sandbox --disable-gpu --hide-scrollbars --disable-background-networking --no-first-run"
SHOTS = {  # name: colours, width, height
    "page-light.png": ("light", 1280, 1000),
    "page-dark.png": ("dark", 1280, 1000),
    "page-phone.png": ("light", 390, 844),
}
POINTED = 2  # the word of the headline that is pointed at


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server with the default model."""
    command = [sys.executable, "-m", "hedline", "serve", "--port", "0", "--workers", "1", "--log", "warning"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        if "ready: http" not in line:
            sys.exit("screenshots: the server did not get ready; its message is above")
        yield line.split()[2]
    finally:
        process.terminate()
        process.wait(60)


@contextmanager
def browser() -> Iterator[Any]:
    """Debian's chromium without a window."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (program and driver):
        sys.exit("screenshots: chromium and chromedriver are needed (Debian: chromium-driver)")
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = program
        for flag in (*FLAGS.split(), f"--user-data-dir={profile}"):
            options.add_argument(flag)
        window = webdriver.Chrome(options=options, service=Service(driver))
        try:
            yield window
        finally:
            window.quit()


def wait(condition: Callable[[], Any], seconds: float = 60.0) -> None:
    """Until something is there."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit("screenshots: the page shows no headline")
        time.sleep(0.1)


def take(window: Any, url: str, path: Path, scheme: str, width: int, height: int) -> None:
    """One picture."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By

    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    window.get("about:blank")
    window.get(url)
    wait(lambda: window.find_elements(By.CSS_SELECTOR, "#switches input"))
    window.find_element(By.CSS_SELECTOR, "#examples button").click()
    wait(lambda: window.find_elements(By.CSS_SELECTOR, "#headline .word"))
    ActionChains(window).move_to_element(window.find_elements(By.CSS_SELECTOR, "#headline .word")[POINTED]).perform()
    window.execute_script("window.scrollTo(0, 0)")
    path.write_bytes(window.get_screenshot_as_png())


def main(folder: Path) -> None:
    """All pictures."""
    with serving() as url, browser() as window:
        for name, (scheme, width, height) in SHOTS.items():
            take(window, url, folder / name, scheme, width, height)
            print(folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs")
